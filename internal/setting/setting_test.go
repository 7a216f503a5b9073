package setting

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/agekit/age/internal/message"
)

// loss is a text with a type of its own.
type loss string

// inner holds settings that another struct embeds by name.
type inner struct {
	Start float64 `json:"pos_start" zero:"0.25" range:"(0..1]" want:"a share"`
}

// Base is embedded without a name.
type Base struct {
	Clusters int `json:"clusters" kong:"-" range:"2.."`
	Layers   int `json:"layers" zero:"8" range:"1..1000" words:"0=-1" want:"0 to 1000" chosen:""`
}

// sample has settings of every kind.
type sample struct {
	Base
	Inner    inner   `json:"inner" embed:""`
	Clusters string  `json:"clusters"` // in place of Base's
	Dims     int     `json:"dims" zero:"500" range:"1.." of:"AGE"`
	Batch    int     `json:"batch_size" name:"batch" zero:"10000" range:"1.." words:"all=-1,auto=0" want:"1 or more, all or auto"`
	Rate     float64 `json:"learning_rate" zero:"0.001" range:"1e-45..3e38"`
	Loss     loss    `json:"loss" zero:"probability" values:"probability,logits"`
	Ranking  loss    `json:"ranking" values:"auto,exact,sampled"`
	Auto     *bool   `json:"auto"`
	Judge    func()  `json:"-"`
}

// find returns the setting of sample with a name.
func find(t *testing.T, name message.Option) Setting {
	t.Helper()
	all := All(reflect.TypeFor[sample]())
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no setting %s", name)
	}
	return all[i]
}

// TestAll: the settings of sample are its fields and those of embedded structs, with their flags; each
// name is there once, for the outer field. The tags chosen and of are read.
func TestAll(t *testing.T) {
	flags := map[message.Option]string{}
	for _, s := range All(reflect.TypeFor[sample]()) {
		if _, twice := flags[s.Name]; twice {
			t.Errorf("%s is there twice", s.Name)
		}
		flags[s.Name] = s.Flag
	}
	want := map[message.Option]string{
		"layers": "layers", "pos_start": "pos-start", "clusters": "clusters", "dims": "dims", "batch_size": "batch", "learning_rate": "learning-rate",
		"loss": "loss", "ranking": "ranking", "auto": "auto",
	}
	if !reflect.DeepEqual(flags, want) {
		t.Errorf("flags %v, want %v", flags, want)
	}
	if s := find(t, "clusters"); s.Type.Kind() != reflect.String {
		t.Errorf("clusters is of type %v", s.Type)
	}
	if s := find(t, "layers"); !s.Chosen || s.Of != "" {
		t.Errorf("%+v", s)
	}
	if s := find(t, "dims"); s.Chosen || s.Of != "AGE" {
		t.Errorf("%+v", s)
	}
}

// TestFill: fields that are zero get what the tag zero says; others stay, and so do zero fields without
// the tag.
func TestFill(t *testing.T) {
	s := sample{Dims: 7}
	Fill(&s)
	if s.Dims != 7 || s.Batch != 10000 || s.Rate != 0.001 || s.Loss != "probability" || s.Layers != 8 || s.Inner.Start != 0.25 || s.Ranking != "" || s.Auto != nil {
		t.Errorf("%+v", s)
	}
}

// TestCheck: values that the settings take pass. The error for another value names the setting, its
// value and what it takes.
func TestCheck(t *testing.T) {
	for want, s := range map[string]sample{ // by the error; "": all values pass
		"":                           {Base: Base{Layers: -1}, Dims: Most, Batch: -1, Rate: 1, Loss: "logits", Inner: inner{1}},
		"dims is -1: want 1 or more": {Dims: -1},
		"dims is 1073741825: want at most 1073741824":   {Dims: Most + 1},
		"batch_size is -2: want 1 or more, all or auto": {Batch: -2},
		"learning_rate is NaN: want 1e-45 to 3e38":      {Rate: math.NaN()},
		"learning_rate is +Inf: want 1e-45 to 3e38":     {Rate: math.Inf(1)},
		`ranking is "x": want auto, exact or sampled`:   {Ranking: "x"},
		`loss is "x": want probability or logits`:       {Loss: "x"},
		"layers is 1001: want 0 to 1000":                {Base: Base{Layers: 1001}},
		"pos_start is 1.5: want a share":                {Inner: inner{1.5}},
	} {
		got := ""
		if err := Check(&s); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestParse: words, numbers and texts that a setting takes are parsed, and what Text returns for the
// value is parsed to the same value. Refused are a number for which a word stands, a zero outside
// the range, numbers that are too large, and texts that are not numbers.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name       message.Option
		text, want string // want is the error; "" if the text is parsed
	}{
		{"batch_size", "all", ""}, {"batch_size", "auto", ""}, {"batch_size", "12", ""}, {"layers", "0", ""}, {"layers", "3", ""}, {"learning_rate", "0.5", ""}, {"loss", "logits", ""},
		{"batch_size", "0", "batch_size is 0: want 1 or more, all or auto"},
		{"batch_size", "-1", "batch_size is -1: want 1 or more, all or auto"},
		{"batch_size", "4611686018427387904", "batch_size is 4611686018427387904: want at most 1073741824"},
		{"batch_size", "1.5", "batch_size is 1.5: want 1 or more, all or auto"},
		{"layers", "-1", "layers is -1: want 0 to 1000"},
		{"dims", "0", "dims is 0: want 1 or more"},
		{"dims", "many", "dims is many: want 1 or more"},
		{"learning_rate", "NaN", "learning_rate is NaN: want 1e-45 to 3e38"},
		{"learning_rate", "1e400", "learning_rate is 1e400: want 1e-45 to 3e38"},
		{"loss", "hinge", `loss is "hinge": want probability or logits`},
	} {
		setting, got := find(t, test.name), ""
		var s sample
		v := setting.Value(&s)
		if err := setting.Parse(test.text, v); err != nil {
			got = err.Error()
		} else {
			var again sample
			if err := setting.Parse(toText(setting.Text(v)), setting.Value(&again)); err != nil || !reflect.DeepEqual(again, s) {
				t.Errorf("%s %s: %v is parsed to %+v (%v), want %+v", test.name, test.text, setting.Text(v), again, err, s)
			}
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.name, test.text, got, test.want)
		}
	}
}

func toText(value any) string { return fmt.Sprint(value) }

// TestOverlay: settings that are given in src replace those of dst, others of dst stay, and Given lists
// what is given then.
func TestOverlay(t *testing.T) {
	dst, src := sample{Dims: 3, Batch: 5}, sample{Batch: -1, Inner: inner{0.5}}
	Overlay(&dst, &src)
	if dst.Dims != 3 || dst.Batch != -1 || dst.Inner.Start != 0.5 {
		t.Errorf("%+v", dst)
	}
	var names []message.Option
	for _, s := range Given(&dst) {
		names = append(names, s.Name)
	}
	if want := []message.Option{"pos_start", "dims", "batch_size"}; !slices.Equal(names, want) {
		t.Errorf("given %v, want %v", names, want)
	}
}
