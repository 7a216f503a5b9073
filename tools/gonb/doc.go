// Command gonb is GoNB's kernel for the notebooks of this project. It differs
// from GoNB's own program in what GoNB has no flags for:
//
//   - The first Tab takes only the time that gopls needs to load the project.
//     GoNB waits 12 seconds before it connects to gopls, and then opens every
//     file of the project there; both block the notebook. With -warm, the
//     program fills gopls's cache in advance.
//   - Tab keeps what was typed, and an error says once what is wrong, in which
//     line of which cell, and above it what to do if it is one of beginners. See
//     rewrite.go, names.go for what needs the program's types, and lines.go for
//     what a program prints.
//   - What a cell prints is cut at a size, since JupyterLab keeps it all in the
//     page. See cut.go.
//
// Everything else is GoNB's: main only puts its packages together, as GoNB's own
// main does. They are internal, and Go lets a package import them if its path
// begins with GoNB's, so tools/go.mod names its module accordingly. Nothing of
// that module is imported elsewhere.
//
// When GoNB is upgraded: raise its version in tools/go.mod and in the project's
// go.mod, compare main.go with GoNB's main.go, then run
//
//	cd tools && go test ./gonb
//	make tools && go test ./cmd/agekit -run Kernel
//
// The second reads over Jupyter's protocol what a notebook shows. If GoNB
// connects to gopls by itself in time, and reports an error once, this program
// can go: the tool in tools/go.mod is then github.com/janpfeifer/gonb.
package main
