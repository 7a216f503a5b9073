package exercise

// training are the exercises of notebook 3.
var training = []Exercise{}
