package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// program is the program that GoNB makes from cells. To say which name was meant, or what a function returns, it is
// checked here again, with Go's type checker and what the compiler has left of the packages that cells may import.
type program struct {
	folder      string // in which it lies, as main.go
	project     string // the folder of the module that cells import
	interrupted bool   // by the user, who may have had to wait until the kernel killed it
	// list is the list of errors for which the last advice was given. The kernel sends each error twice.
	list, last string
}

// about returns what to do about a list of the compiler's errors, or "".
func (p *program) about(list string) string {
	if list != p.list {
		p.list, p.last = list, p.advice()
	}
	return p.last
}

// listing is how long the list of packages may take: longer than Go needs if all are compiled, as they are but
// before the first cell of a new version.
const listing = 20 * time.Second

// needsNames are the errors of the compiler for which the program is checked.
var needsNames = regexp.MustCompile(`undefined|assignment mismatch|no required module provides|is not in std`)

// advice returns what to do about the first error in the program about which its names and types tell more than
// the compiler says, or "".
func (p *program) advice() (advice string) {
	// What a newer compiler than the one that built this kernel has written makes the importer panic.
	defer func() {
		if recover() != nil {
			advice = ""
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), listing)
	defer cancel()
	packages, err := p.packages(ctx)
	if err != nil {
		return ""
	}
	c, err := check(filepath.Join(p.folder, "main.go"), packages)
	if err != nil {
		return ""
	}
	return c.advice()
}

// importable is a package that a cell may import.
type importable struct {
	name, path string
	export     string // the file in which the compiler has written what it exports, or ""
	internal   bool   // only packages beside it may import it
}

// packages returns the packages that the program and the project's packages import, these included, sorted by
// path.
func (p *program) packages(ctx context.Context) ([]importable, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-export", "-deps", "-f", "{{.Name}}\t{{.ImportPath}}\t{{.Export}}", ".", filepath.Join(p.project, "agekit")+"/...")
	cmd.Dir = p.folder
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var packages []importable
	for line := range strings.Lines(string(out)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(field) != 3 || field[0] == "main" || field[0] == "" {
			continue
		}
		elements := strings.Split(field[1], "/")
		internal := elements[0] == "vendor" || slices.Contains(elements, "internal")
		packages = append(packages, importable{field[0], field[1], field[2], internal})
	}
	slices.SortFunc(packages, func(a, b importable) int { return cmp.Compare(a.path, b.path) })
	return packages, nil
}

// checked is a program after the type check.
type checked struct {
	fileSet  *token.FileSet
	file     *ast.File
	main     *types.Package
	info     types.Info
	errors   []types.Error // in the order of the program's lines
	packages []importable
	importer types.Importer
}

// check checks the types of the program in a file that imports these packages.
func check(name string, packages []importable) (*checked, error) {
	c := &checked{fileSet: token.NewFileSet(), packages: packages}
	var err error
	c.file, err = parser.ParseFile(c.fileSet, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	c.importer = importer.ForCompiler(c.fileSet, "gc", func(path string) (io.ReadCloser, error) {
		i := slices.IndexFunc(packages, func(p importable) bool { return p.path == path && p.export != "" })
		if i < 0 {
			return nil, fmt.Errorf("no package %s", path)
		}
		return os.Open(packages[i].export)
	})
	c.info = types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	settings := types.Config{Importer: c.importer, Error: func(err error) {
		if e, ok := err.(types.Error); ok {
			c.errors = append(c.errors, e)
		}
	}}
	c.main, _ = settings.Check("main", c.fileSet, []*ast.File{c.file}, &c.info) // c.errors has the error
	slices.SortStableFunc(c.errors, func(a, b types.Error) int { return cmp.Compare(a.Pos, b.Pos) })
	return c, nil
}

// advice returns what to do about the first error about which something is known, or "".
func (c *checked) advice() string {
	var first string
	at := token.Pos(-1) // where the error is that first is about
	note := func(pos token.Pos, advice string) {
		if advice != "" && (at < 0 || pos < at) {
			first, at = advice, pos
		}
	}
	ast.Inspect(c.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			note(n.Sel.Pos(), c.selected(n))
		case *ast.AssignStmt:
			if len(n.Rhs) == 1 {
				note(n.Pos(), c.assigned(len(n.Lhs), n.Rhs[0]))
			}
		case *ast.ValueSpec:
			if len(n.Values) == 1 {
				note(n.Pos(), c.assigned(len(n.Names), n.Values[0]))
			}
		case *ast.ImportSpec:
			note(n.Pos(), c.imported(strings.Trim(n.Path.Value, "\"`")))
		}
		return true
	})
	for _, e := range c.errors {
		if name, ok := strings.CutPrefix(e.Msg, "undefined: "); ok && !strings.Contains(name, ".") {
			note(e.Pos, c.unknown(name, e.Pos))
		}
	}
	return first
}

// selected returns advice about x.name, if x is a package or a value that has no such name.
func (c *checked) selected(s *ast.SelectorExpr) string {
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return ""
	}
	name := s.Sel.Name
	switch object := c.info.Uses[x].(type) {
	case *types.PkgName:
		return c.missing(name, x.Name, object.Imported())
	case nil: // the name of no import: no package with it has all the names that the program uses
		for _, p := range c.named(x.Name) {
			if p.Scope().Lookup(name) != nil {
				return ""
			}
		}
		for _, p := range c.named(x.Name) {
			return c.missing(name, x.Name, p)
		}
		return ""
	default:
		return c.missingMember(name, x, object.Type())
	}
}

// missing returns advice about a package p, called by local in the program, if it has no such name.
func (c *checked) missing(name, local string, p *types.Package) string {
	if p.Scope().Lookup(name) != nil || len(p.Scope().Names()) == 0 { // of a package that was not read, nothing is known
		return ""
	}
	exported := exportedNames(p)
	if slices.ContainsFunc(exported, func(e string) bool { return strings.EqualFold(e, name) }) {
		return capitals
	}
	begins := fmt.Sprintf("The package %s has no %s.", local, name)
	for _, other := range c.packages {
		if !c.isOurs(other) || other.path == p.Path() {
			continue
		}
		if q, err := c.importer.Import(other.path); err == nil && token.IsExported(name) && q.Scope().Lookup(name) != nil {
			return fmt.Sprintf("%s Do you mean %s.%s?", begins, q.Name(), name)
		}
	}
	near := nearest(name, exported, similar(name))
	for i := range near {
		near[i] = local + "." + near[i]
	}
	if len(near) > 0 {
		return fmt.Sprintf("%s Do you mean %s?", begins, or(near))
	}
	return fmt.Sprintf("%s What it has: !*go doc %s", begins, p.Path())
}

// missingMember returns advice about the value x, of type t, if it has no field or method of this name but a
// similar one.
func (c *checked) missingMember(name string, x *ast.Ident, t types.Type) string {
	if object, _, _ := types.LookupFieldOrMethod(t, true, c.main, name); object != nil || t == types.Typ[types.Invalid] {
		return ""
	}
	var members []string
	note := func(o types.Object) {
		if o.Exported() || o.Pkg() == c.main {
			members = append(members, o.Name())
		}
	}
	methodsOf := t // those of a pointer are also those of what it points to
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	} else if !types.IsInterface(t) {
		methodsOf = types.NewPointer(t)
	}
	for m := range types.NewMethodSet(methodsOf).Methods() {
		note(m.Obj())
	}
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			note(f)
		}
	}
	near := nearest(name, members, similar(name))
	for i := range near {
		near[i] = x.Name + "." + near[i]
	}
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("%s has no %s. Do you mean %s?", x.Name, name, or(near))
}

// assigned returns advice about a call whose values do not fit into as many variables.
func (c *checked) assigned(variables int, value ast.Expr) string {
	call, ok := value.(*ast.CallExpr)
	if !ok {
		return ""
	}
	results, ok := c.info.TypeOf(call).(*types.Tuple)
	if !ok || results.Len() < 2 || results.Len() == variables {
		return ""
	}
	isError := types.Identical(results.At(results.Len()-1).Type(), types.Universe.Lookup("error").Type())
	if variables == 1 && results.Len() == 2 && isError {
		return canFail
	}
	var values bytes.Buffer
	types.WriteSignature(&values, types.NewSignatureType(nil, nil, nil, nil, results, false), func(p *types.Package) string { return p.Name() })
	return fmt.Sprintf("This function returns %d values, %s: write as many names before the =, and _ for a value that you do not need.", results.Len(), strings.TrimPrefix(values.String(), "() "))
}

// unknown returns advice about a name at pos that is declared nowhere.
func (c *checked) unknown(name string, pos token.Pos) string {
	switch name {
	case "True", "False", "None", "null", "nullptr", "NULL", "TRUE", "FALSE":
		return "In Go, true, false and nil have small letters."
	}
	if len(c.named(name)) > 0 {
		return "" // see selected
	}
	var names []string
	ast.Inspect(c.file, func(n ast.Node) bool { // what is in the same function, or declared outside functions
		if d, ok := n.(*ast.FuncDecl); ok {
			names = append(names, d.Name.Name)
			return d.Pos() <= pos && pos < d.End()
		}
		if id, ok := n.(*ast.Ident); ok && !c.undefined(id.Name) {
			names = append(names, id.Name)
		}
		return true
	})
	for _, p := range c.packages {
		if c.isOurs(p) {
			names = append(names, p.name)
		}
	}
	const letters = 4 // of shorter names, many are alike
	if near := nearest(name, names, 1); len(near) > 0 && len(name) >= letters {
		return fmt.Sprintf("%s Or do you mean %s?", unknownName, or(near))
	}
	return ""
}

// undefined reports whether this name is declared nowhere.
func (c *checked) undefined(name string) bool {
	return slices.ContainsFunc(c.errors, func(e types.Error) bool { return e.Msg == "undefined: "+name })
}

// imported returns advice about a package that is not there.
func (c *checked) imported(missing string) string {
	var paths []string
	for _, p := range c.packages {
		if p.path == missing && (p.export != "" || missing == "unsafe") {
			return ""
		}
		if !p.internal {
			paths = append(paths, p.path)
		}
	}
	near := nearest(missing, paths, similar(path.Base(missing)))
	for i := range near {
		near[i] = `"` + near[i] + `"`
	}
	if len(near) > 0 {
		return fmt.Sprintf("There is no package %q. Do you mean %s?", missing, or(near))
	}
	return fmt.Sprintf("There is no package %q here, and cells download nothing: they can import agekit's packages, Go's own and gonum's.", missing)
}

// isOurs reports whether p is a package of the project that cells may import.
func (c *checked) isOurs(p importable) bool {
	return !p.internal && strings.HasPrefix(p.path, module)
}

// module is the beginning of the paths of the project's packages.
const module = "github.com/agekit/age/"

// named returns the packages with this name that a cell may import, the project's first, then Go's.
func (c *checked) named(name string) []*types.Package {
	var packages []*types.Package
	for _, p := range c.packages {
		if p.name != name || p.internal {
			continue
		}
		if q, err := c.importer.Import(p.path); err == nil {
			packages = append(packages, q)
		}
	}
	rank := func(p *types.Package) int {
		switch {
		case strings.HasPrefix(p.Path(), module):
			return 0
		case !strings.Contains(path.Dir(p.Path()), "."): // Go's own
			return 1
		}
		return 2
	}
	slices.SortStableFunc(packages, func(a, b *types.Package) int { return cmp.Compare(rank(a), rank(b)) })
	return packages
}

// exportedNames returns the names of p that other packages may use.
func exportedNames(p *types.Package) []string {
	return slices.DeleteFunc(p.Scope().Names(), func(name string) bool { return !token.IsExported(name) })
}

// or joins up to three texts: a, b or c.
func or(texts []string) string {
	texts = texts[:min(len(texts), 3)]
	last := len(texts) - 1
	if last == 0 {
		return texts[0]
	}
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}
