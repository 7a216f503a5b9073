package exercise

// clustering are the exercises of notebook 5.
var clustering = []Exercise{}
