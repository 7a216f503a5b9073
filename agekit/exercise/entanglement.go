package exercise

// entanglement are the exercises of notebook 8.
var entanglement = []Exercise{}
