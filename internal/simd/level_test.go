package simd

import "testing"

// atEveryLevel runs a test at each level that this processor has.
func atEveryLevel(t *testing.T, test func(t *testing.T)) {
	chosen := Level()
	for _, name := range Levels() {
		if err := SetLevel(name); err != nil {
			t.Fatal(err)
		}
		t.Run(name, test)
	}
	if err := SetLevel(chosen); err != nil {
		t.Fatal(err)
	}
}
