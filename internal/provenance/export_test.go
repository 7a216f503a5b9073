package provenance

// CheckFile is checkFile for the tests of package provenance_test.
var CheckFile = checkFile
