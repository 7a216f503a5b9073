// Command build writes the site's folder: its pages, each with its scripts and a security
// policy, and program.js, which holds agekit compiled to WebAssembly.
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/ascii85"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"go/build"
	"log"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/agekit/age/agekit"
	"github.com/agekit/age/agekit/figure"
	"github.com/agekit/age/internal/atomicfile"
)

//go:embed pages
var pages embed.FS

// page is a page of the site: its file, and its names in the navigation and in the heading.
type page struct{ File, Short, Title string }

// source returns the name of the page's body and script in the folder pages: NAME.html has NAME.html and
// NAME.js, but the first page is the story.
func (p page) source() string {
	if p.File == "index.html" {
		return "story"
	}
	return strings.TrimSuffix(p.File, ".html")
}

// topics are the pages in the order of the navigation.
var topics = []page{
	{"index.html", "Story", "A graph in seven steps"},
	{"train.html", "Train", "Train a graph encoder"},
	{"filter.html", "Filter", "Smooth a signal"},
	{"polynomial.html", "Polynomials", "From AGE's filter to message passing"},
	{"lab.html", "Homophily lab", "When does a graph help?"},
	{"field.html", "The field", "What each method sees"},
	{"predict.html", "Predict", "Commit, then reveal"},
}

// mostFirst is what a first visit may cost on a phone: the bytes of the first page with the program.
const mostFirst = 8e6

func main() {
	log.SetFlags(0)
	program := flag.String("program", "", "agekit compiled for js/wasm (./site/program)")
	out := flag.String("out", "", "the folder to write")
	kept := flag.String("kept", "", "a file that keeps Cora's first map for the next build")
	flag.Parse()
	if *program == "" || *out == "" || *kept == "" || flag.NArg() > 0 {
		log.Fatal("build needs --program, --out and --kept")
	}
	write(*program, *out, *kept)
}

// write writes the site to the folder out, or ends the program with an error. program is the path of agekit
// compiled to WebAssembly, and kept that of the file that keeps Cora's first map.
func write(program, out, kept string) {
	agekit.Check(os.MkdirAll(out, 0o755))
	js, data := programJS(program), pageData(kept)
	pages := map[string][]byte{"program.js": js}
	for _, p := range topics {
		pages[p.File] = html(p, neededBy(p, data))
	}
	for name, content := range pages {
		agekit.Check(atomicfile.Write(filepath.Join(out, name), atomicfile.Bytes(content)))
	}
	first := len(pages["index.html"]) + len(js)
	fmt.Printf("%s: %d pages; the first one takes %.1f MB with its program\n", out, len(topics), float64(first)/1e6)
	if first > mostFirst {
		log.Fatalf("the first page takes %d bytes: want at most %.0f", first, mostFirst)
	}
}

// neededBy returns the part of data that p needs: the story alone has the linked views' graphs, and no others.
func neededBy(p page, data map[string]any) map[string]any {
	needed := maps.Clone(data)
	if p.source() == "story" {
		maps.DeleteFunc(needed, func(name string, _ any) bool { return name == "corner" || name == "karate" || name == "homophily" })
	} else {
		delete(needed, "stories")
	}
	return needed
}

// programJS returns the script program.js, which sets AGEKIT.worker, the script of the worker, and
// AGEKIT.program, the WebAssembly at the path program as gzip in base 85: a sixteenth smaller than base64.
func programJS(program string) []byte {
	var packed bytes.Buffer
	w := agekit.Must(gzip.NewWriterLevel(&packed, gzip.BestCompression))
	agekit.Must(w.Write(agekit.Must(os.ReadFile(program))))
	agekit.Check(w.Close())
	goJS := agekit.Must(os.ReadFile(filepath.Join(build.Default.GOROOT, "lib/wasm/wasm_exec.js")))
	// The worker's files come first: Go's script keeps a file system that is there.
	text := agekit.Must(json.Marshal(read("worker.js") + "\n" + string(goJS)))
	return fmt.Appendf(nil, "AGEKIT.worker = %s;\nAGEKIT.program = \"%s\";\n", text, base85(packed.Bytes()))
}

// base85 returns bytes as package ascii85 writes them, but without the characters that a text in JavaScript would
// need another one for: v and w stand for them. Nor is z there, for four zeros. The worker's unpack reads it.
func base85(b []byte) string {
	text := make([]byte, ascii85.MaxEncodedLen(len(b)))
	text = text[:ascii85.Encode(text, b)]
	return strings.NewReplacer(`"`, "v", `\`, "w", "z", "!!!!!").Replace(string(text))
}

// read returns the text of a file in the folder pages.
func read(name string) string { return string(agekit.Must(pages.ReadFile("pages/" + name))) }

// html returns a page with its style and scripts inside. data is what the scripts find in AGEKIT.
func html(p page, data map[string]any) []byte {
	name := p.source()
	values := agekit.Must(json.Marshal(data)) // with <, > and & as escapes
	library, style := read("lib.js"), read("site.css")
	if name == "story" {
		linkedScript, linkedStyle := figure.LinkedViews()
		library += "\n" + read("linked.js") + "\n" + linkedScript
		style += linkedStyle + read("story.css")
	}
	script := fmt.Sprintf("\"use strict\";\nconst AGEKIT = %s;\n%s\n%s", values, library, read(name+".js"))
	var b bytes.Buffer
	agekit.Check(template.Must(template.New(p.File).Parse(read("page.html"))).Execute(&b, map[string]any{
		"Title": p.Title, "File": p.File, "Pages": topics, "Policy": policy(script, style),
		"Style": style, "Script": script, "Body": read(name + ".html"),
	}))
	return b.Bytes()
}

// policy returns the Content-Security-Policy of a page with this script and style. It allows these two by their
// hashes, and program.js, which lies beside the page, by 'self' (a hash of a file would need a server).
// WebAssembly counts as code made at run time: 'wasm-unsafe-eval' allows that kind alone, no eval of text.
// The worker is a script in memory (blob:), since a page opened from a file may not have a worker in
// another file. Nothing may be fetched, sent or framed.
func policy(script, style string) string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' " + hash(script) + "; style-src " + hash(style) +
		"; worker-src blob:; connect-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none'"
}
