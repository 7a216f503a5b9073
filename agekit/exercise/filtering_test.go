package exercise

var filteringAnswers = []answers{}
