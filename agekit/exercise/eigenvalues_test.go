package exercise

var eigenvaluesAnswers = []answers{}
