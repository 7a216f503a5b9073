package files

const (
	SameBytes   = sameBytes
	SameResults = sameResults
	NotCompared = notCompared
)

var (
	CompareFile = compareFile
	CheckFile   = checkFile
)
