package files

var CheckFile = checkFile
