package exercise

var visualizationAnswers = []answers{}
