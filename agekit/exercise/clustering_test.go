package exercise

var clusteringAnswers = []answers{}
