// Package engine makes the parts of a run that grow with the number of nodes by tasks of other
// processes, which share a folder: processes of this machine, or those that Apache Spark
// starts. Each part is a stage, whose tasks do not depend on each other and write a file each.
// What is there of a stage stays after a kill, and is not made again.
package engine
