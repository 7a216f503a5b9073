package input

import (
	"reflect"
	"testing"

	"github.com/agekit/age/internal/inputtest"
)

func TestFindEnds(t *testing.T) {
	none := Ends{Weight: noColumn, Kind: noColumn, Names: noColumn}
	with := func(change func(*Ends)) Ends { e := none; change(&e); return e }
	for text, want := range map[string]Ends{
		"source,target,weight\na,b,1\nb,c,2\n":                       with(func(e *Ends) { e.Target, e.Weight, e.Named = 1, 2, true }),
		"invoice,buyer,seller\n1,a,b\n2,b,c\n3,c,a\n4,a,c\n":         with(func(e *Ends) { e.Source, e.Target = 1, 2 }),
		"node,neighbors\na,b;c\nb,a;d\nc,a\nd,b\n":                   with(func(e *Ends) { e.Target, e.TargetList = 1, ";" }),
		"name,interaction\na (pp) b,pp\nb (pp) c,pp\n":               with(func(e *Ends) { e.Kind = 1 }),
		"name,a,b,c,d\na,0,1,0,1\nb,1,0,1,0\nc,0,1,0,1\nd,1,0,1,0\n": with(func(e *Ends) { e.Matrix, e.Names = true, 0 }),
	} {
		header := true
		found, err := FindEnds(t.Context(), Source{Edges: inputtest.WriteText(t, "edges.csv", text), Header: &header})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		warnings := len(found.Warnings)
		found.Notes, found.Warnings = nil, nil
		if found.Matrix {
			found.Source, found.Target, found.Weight = 0, 0, noColumn
		}
		if !reflect.DeepEqual(*found, want) {
			t.Errorf("%s: found %+v, want %+v", text, *found, want)
		}
		if isOdd := want.Source == 1 || want.TargetList != "" || want.Kind >= 0; isOdd != (warnings > 0) {
			t.Errorf("%s: %d warnings", text, warnings)
		}
	}
}
