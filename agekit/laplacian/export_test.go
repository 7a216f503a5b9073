package laplacian

// EstimateDensityIn has any number of probes and steps.
var EstimateDensityIn = estimateDensity
