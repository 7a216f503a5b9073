package exercise

// eigenvalues are the exercises of notebook 2.
var eigenvalues = []Exercise{}
