package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// cell is a cell of code: what it declares above %%, and what it does below.
type cell struct {
	number int // in the notebook, from 1, with the cells of text
	above  string
	below  string
	begins int // the line of the cell on which below begins
}

// readCells returns the cells of code of a notebook.
func readCells(path string) ([]cell, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var notebook struct {
		Cells []struct {
			Type     string          `json:"cell_type"`
			Source   json.RawMessage `json:"source"`
			Metadata struct{ Tags []string }
		}
	}
	if err := json.Unmarshal(text, &notebook); err != nil {
		return nil, fmt.Errorf("not a notebook: %w", err)
	}
	var all []cell
	for i, c := range notebook.Cells {
		if c.Type != "code" || slices.Contains(c.Metadata.Tags, "check") {
			continue // what holds the text of a notebook is no part of an answer
		}
		var source string
		var lines []string
		if json.Unmarshal(c.Source, &source) != nil {
			if err := json.Unmarshal(c.Source, &lines); err != nil {
				return nil, fmt.Errorf("cell %d: %w", i+1, err)
			}
			source = strings.Join(lines, "")
		}
		all = append(all, newCell(i+1, source))
	}
	return all, nil
}

// newCell cuts the source of a cell at %%, and empties the lines that are commands of the kernel.
func newCell(number int, source string) cell {
	c := cell{number: number}
	var above, below []string
	part := &above
	for i, line := range strings.Split(source, "\n") {
		switch {
		case strings.HasPrefix(line, "%%") || strings.HasPrefix(line, "%main"):
			part, c.begins = &below, i+2
			continue
		case strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!"):
			line = ""
		}
		*part = append(*part, line)
	}
	c.above, c.below = strings.Join(above, "\n"), strings.Join(below, "\n")
	return c
}

// declaration is what a cell declares under some names: a function, one line of an import, or such.
type declaration struct {
	names []string
	text  string
	node  ast.Node
}

// declarations returns what the cell declares above %%, or an error of syntax. If it has a function main,
// as a cell without %% may, this becomes what the cell does.
func (c *cell) declarations() ([]declaration, error) {
	const head = "package cells\n"
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", head+c.above, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	source := head + c.above
	text := func(n ast.Node) string { return source[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset] }
	var all []declaration
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if name == "main" && d.Recv == nil {
				c.below = text(d.Body)
				c.begins = files.Position(d.Body.Pos()).Line - 1
				continue
			}
			if d.Recv != nil && len(d.Recv.List) == 1 {
				name = strings.TrimPrefix(text(d.Recv.List[0].Type), "*") + "." + name
			}
			if name == "init" || name == "_" {
				name = fmt.Sprint(name, " of ", c.number, " at ", d.Pos()) // several may be there
			}
			all = append(all, declaration{[]string{name}, text(d), d})
		case *ast.GenDecl:
			if d.Tok == token.CONST { // as a whole: iota
				var names []string
				for _, s := range d.Specs {
					names = append(names, specNames(s)...)
				}
				all = append(all, declaration{names, text(d), d})
				continue
			}
			for _, s := range d.Specs {
				all = append(all, declaration{specNames(s), d.Tok.String() + " " + text(s), s})
			}
		}
	}
	return all, nil
}

// specNames returns the names that a line of an import, a type, or of variables declares.
func specNames(s ast.Spec) (names []string) {
	switch s := s.(type) {
	case *ast.ImportSpec:
		if s.Name != nil {
			return []string{"import " + s.Name.Name}
		}
		return []string{"import " + s.Path.Value}
	case *ast.TypeSpec:
		return []string{s.Name.Name}
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// program is a cell with all that it can use: its declarations and those of the cells above, the later for
// the earlier.
type program struct {
	cell
	declared []declaration
	body     ast.Node // what the cell does
}

// programs returns the cells that do something, as programs. A cell with an error of syntax above %% declares
// nothing, as in the kernel; below %%, its error is that of the program.
func programs(cells []cell) []program {
	var all []program
	var declared []declaration
	for _, c := range cells {
		own, err := c.declarations()
		if err != nil {
			own = nil
			if c.below != "" { // the compiler says what is wrong
				all = append(all, program{cell: c, declared: append(slices.Clone(declared), declaration{text: c.above})})
			}
			continue
		}
		for _, d := range own {
			declared = slices.DeleteFunc(declared, func(old declaration) bool {
				return slices.ContainsFunc(old.names, func(n string) bool { return slices.Contains(d.names, n) })
			})
			declared = append(declared, d)
		}
		if c.below != "" {
			p := program{cell: c, declared: slices.Clone(declared)}
			if file, err := parser.ParseFile(token.NewFileSet(), "", "package cells\nfunc f() {"+c.below+"\n}", parser.SkipObjectResolution); err == nil {
				p.body = file
			}
			all = append(all, p)
		}
	}
	return all
}

// source returns the program as a package whose function [entry] does what the cell does.
func (p program) source() string {
	var text strings.Builder
	fmt.Fprintf(&text, "package %s\n", p.folder())
	ordered := slices.Clone(p.declared)
	slices.SortStableFunc(ordered, func(a, b declaration) int { // imports first
		return cmp.Compare(rank(a), rank(b))
	})
	for _, d := range ordered {
		fmt.Fprintf(&text, "%s\n", d.text)
	}
	fmt.Fprintf(&text, "func %s() {\n//line cell%d:%d\n%s\n}\n", entry, p.number, p.begins, p.below)
	return text.String()
}

// rank is 0 for imports, and 1 for others.
func rank(d declaration) int {
	if strings.HasPrefix(d.text, "import") {
		return 0
	}
	return 1
}

// entry is the function of a program's package that does what the cell does.
const entry = "DoWhatTheCellDoes"

// folder is the name of the program's package and of its folder.
func (p program) folder() string { return fmt.Sprint("cell", p.number) }

// names returns whether the program, or a function that it uses, has the text as a literal.
func (p program) names(text string) bool {
	return p.uses(func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return false
		}
		value, _ := strconv.Unquote(literal.Value)
		return value == text
	})
}

// checks returns whether the program, or a function that it uses, mentions a Check other than agekit's, which
// checks errors.
func (p program) checks() bool {
	return p.uses(func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			return n.Sel.Name == "Check" && !(ok && x.Name == "agekit")
		case *ast.CallExpr:
			name, ok := n.Fun.(*ast.Ident)
			return ok && name.Name == "Check"
		}
		return false
	})
}

// calls returns whether the program, or a function that it uses, has a selector such as lab.SmoothSignal.
func (p program) calls(pkg, name string) bool {
	return p.uses(func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != name {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && x.Name == pkg
	})
}

// uses returns whether a node of what the cell does, or of a declaration that it reaches by names, is wanted.
// A program with an error of syntax uses everything.
func (p program) uses(wanted func(ast.Node) bool) (found bool) {
	if p.body == nil {
		return true
	}
	reached := map[string]bool{}
	var look func(n ast.Node)
	look = func(n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			if n == nil || found {
				return false
			}
			if wanted(n) {
				found = true
			}
			if name, ok := n.(*ast.Ident); ok && !reached[name.Name] {
				reached[name.Name] = true
				for _, d := range p.declared {
					if d.node != nil && slices.ContainsFunc(d.names, func(full string) bool { return full == name.Name || strings.HasSuffix(full, "."+name.Name) }) {
						look(d.node)
					}
				}
			}
			return !found
		})
	}
	look(p.body)
	return found
}
