package main

import (
	"strings"
	"testing"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/testutil"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestFitDevices: a run on two devices says so in its record, which is valid, and in its log. A run that asks for more than there are reads nothing.
func TestFitDevices(t *testing.T) {
	choice, err := backend.Resolve(backend.XLACPU)
	if err != nil {
		t.Skipf("SEVERAL DEVICES ARE NOT TESTED: %v", err)
	}
	isolate(t)
	t.Setenv("NPROC", "") // which the program sets
	args := strings.Fields("fit --verbose --dataset " + planted + strings.Replace(quick, "native", "xla:"+choice.Plugin, 1))
	code, out, errs := age(t, append(args, "--devices", "2", "--json")...)
	if code != 0 || !strings.Contains(errs, "2 devices shared the pairs of each step, and added up ") {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	schema := testutil.Value(jsonschema.NewCompiler().Compile(schemaFile)).OrFatal(t)
	value := testutil.Value(jsonschema.UnmarshalJSON(strings.NewReader(out))).OrFatal(t)
	if err := schema.Validate(value); err != nil {
		t.Error(err)
	}
	r := decoded[run.Record](t, out)
	if r.Devices != 2 || r.Where() != "xla:"+choice.Plugin+" on 2 devices" {
		t.Errorf("%d devices in the record, on %s", r.Devices, r.Where())
	}
	code, _, errs = age(t, append(args, "--devices", "9", "--dataset", "none.npz")...)
	if code != 2 || !strings.Contains(errs, "--devices: backend xla:"+choice.Plugin+": 9 devices wanted, found 4 (TFRT_CPU_0, ") {
		t.Errorf("exit %d\n%s", code, errs)
	}
}
