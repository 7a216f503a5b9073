package exercise

// visualization are the exercises of notebook 4.
var visualization = []Exercise{}
