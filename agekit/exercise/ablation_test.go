package exercise

var ablationAnswers = []answers{}
