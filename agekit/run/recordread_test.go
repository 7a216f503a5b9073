package run

import (
	"testing"

	"github.com/agekit/age/internal/testutil"
)

// TestReadRecord: a value of another type than run.json has, and null where there must be a value, are errors that name
// the field. A score that is null or missing is nil.
func TestReadRecord(t *testing.T) {
	r := testutil.Value(readRecord([]byte(`{"acc": 0.5, "nmi": null, "clusters": null}`))).OrFatal(t)
	if *r.ACC != 0.5 || r.NMI != nil || r.ARI != nil || r.Training != nil {
		t.Errorf("%+v", r)
	}
	for text, want := range map[string]string{
		`null`:                 "the record is null: want an object",
		`{"modularity": null}`: "modularity is null: want a number",
		`{"view": null}`:       "view is null: want a text",
		`{"layers": null}`:     "layers is null: want an integer",
		`{"clusters": [{"size": 1}, {"size": null}]}`: "clusters[1].size is null: want an integer",
		`{"clusters": [null]}`:                        "clusters[0] is null: want an object",
		`{"training": [{"loss": [1, null]}]}`:         "training[0].loss[1] is null: want a number",
		`{"columns": null}`:                           "columns is null: want an object",
		`{"n": "many"}`:                               "n is a text: want an integer",
		`{"n": 1.5}`:                                  "n is 1.5: want an integer",
		`{"dataset": ["a"]}`:                          "dataset is a list: want a text",
		`{"columns": {"id": 3}}`:                      "columns.id is a number: want a text",
		`{"acc": "good"}`:                             "acc is a text: want a number",
		`[]`:                                          "the record is a list: want an object",
		`{"columns": {"x": "x"}}`:                     `columns.x is "x", columns.y "": want both or none`,
		`{"columns": {"confidence": "c"}}`:            "want both or none",
		`{"training": [{"epochs": [1]}]}`:             "training[0].epochs has 1 values, training[0].dbi 0: want as many",
		`{"tree": [{"left": 0, "right": 1}]}`:         "tree has 1 joins: want 0 for 0 clusters",
		`{"clusters": [{}, {}], "tree": [{"left": 0, "right": 2}]}`:  "tree[0] joins 2: want a cluster",
		`{"clusters": [{}, {}], "tree": [{"left": -1, "right": 2}]}`: "tree[0] joins -1: want a cluster",
		`{"clusters": [{}, {}], "tree": [{"left": 0, "right": 0}]}`:  "tree[0] joins 0: want a cluster, or an earlier join, that is not joined yet",
	} {
		_, err := readRecord([]byte(text))
		testutil.Fails(t, err, want)
	}
}
