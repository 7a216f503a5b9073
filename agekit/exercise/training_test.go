package exercise

var trainingAnswers = []answers{}
