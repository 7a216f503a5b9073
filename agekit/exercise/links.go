package exercise

// links are the exercises of notebook 6.
var links = []Exercise{}
