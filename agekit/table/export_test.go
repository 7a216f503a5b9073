package table

// What tests see of the inside.
var (
	IsFormula    = isFormula
	Unguarded    = unguarded
	Guarded      = guarded
	EachPair     = eachPair
	Large        = &large
	MostUnpacked = &mostUnpacked
)

const Sniffed = sniffed
