package exercise

// ablation are the exercises of notebook 7.
var ablation = []Exercise{}
