package exercise

var linksAnswers = []answers{}
