package provenance

var CheckFile = checkFile
