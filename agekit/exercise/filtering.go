package exercise

// filtering are the exercises of notebook 1.
var filtering = []Exercise{}
