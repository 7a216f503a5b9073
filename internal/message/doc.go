// Package message makes what the program says of its users' input and options. Errors and
// warnings name an option as the documentation does, such as "Source.Nodes" or
// "learning_rate"; the program shows its flag in place of the name, and Python its argument.
// Texts of users are repeated in part, and without what a terminal would obey.
package message
