package exercise

var entanglementAnswers = []answers{}
