package metric

var (
	MacroF1     = macroF1
	Conductance = conductance
)
