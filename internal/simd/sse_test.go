package simd

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var program = flag.String("binary", "", "check this amd64 program instead of building cmd/agekit")

// TestNoMixedSSE: no function of this module, in the program for amd64 as objdump disassembles it, has an
// SSE instruction after the upper part of a vector register was written and before VZEROUPPER. Intel's
// processors make such an instruction wait for the register's former value, which takes 25 times as
// long and cannot be seen on other processors. The test needs to find as many functions with wide
// registers as there are kernels.
func TestNoMixedSSE(t *testing.T) {
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Skip("no objdump: install GNU binutils to check the program's instructions")
	}
	path := *program
	if path == "" {
		path = filepath.Join(t.TempDir(), "agekit")
		build := exec.Command("go", "build", "-buildvcs=false", "-o", path, "github.com/agekit/age/cmd/agekit")
		build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	found, wide, err := mixedSSE(t.Context(), path)
	if errors.Is(err, errNoX86) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		t.Error(f)
	}
	if *program == "" && wide < len(kernelNames(t)) {
		t.Errorf("%d functions with wide registers, want the %d kernels: what was checked?", wide, len(kernelNames(t)))
	}
}

// kernelNames returns the lines that begin the assembly's functions for amd64, one for each.
func kernelNames(t *testing.T) []string {
	text, err := os.ReadFile("kernels_amd64.s")
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m)^TEXT ·\w+`).FindAllString(string(text), -1)
}

var errNoX86 = errors.New("this objdump does not know x86-64: install GNU binutils for it to check the program's instructions")

// mixedSSE has objdump disassemble the amd64 program at path. It returns the SSE instructions, calls and
// returns in this module's functions that meet registers whose upper parts are dirty, and the number
// of the functions that use wide registers. It returns errNoX86 if objdump does not know amd64.
func mixedSSE(ctx context.Context, path string) (found []string, wide int, err error) {
	cmd := exec.CommandContext(ctx, "objdump", "-d", "--no-show-raw-insn", path)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, 0, err
	}
	if err := cmd.Start(); err != nil {
		return nil, 0, err
	}
	found, wide, err = scanMixedSSE(out)
	if waitErr := cmd.Wait(); waitErr != nil {
		if strings.Contains(stderr.String(), "UNKNOWN") || strings.Contains(stderr.String(), "not recognized") {
			return nil, 0, errNoX86
		}
		return nil, 0, fmt.Errorf("objdump %s: %w: %s", path, waitErr, stderr.String())
	}
	return found, wide, err
}

// scanMixedSSE returns what [mixedSSE] does, from the output of objdump -d. It follows the instructions as
// they lie, not the jumps between them. Calls and returns count, too, because compiled Go is full of
// SSE.
func scanMixedSSE(disassembly io.Reader) (found []string, wide int, err error) {
	var function string
	ours, dirty, counted := false, false, false // of the function: this module's, upper parts written, in wide
	lines := bufio.NewScanner(disassembly)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutSuffix(line, ">:"); ok {
			_, function, _ = strings.Cut(name, "<")
			ours, dirty, counted = strings.HasPrefix(function, "github.com/agekit/age/"), false, false
			continue
		}
		address, instruction, ok := strings.Cut(line, ":\t")
		if !ours || !ok {
			continue
		}
		operation, operands, _ := strings.Cut(strings.TrimSpace(instruction), " ")
		switch {
		case strings.HasPrefix(operation, "vzero"):
			dirty = false
		case strings.Contains(operands, "%ymm") || strings.Contains(operands, "%zmm"):
			dirty = true
			if !counted {
				counted, wide = true, wide+1
			}
		case !dirty:
		case !strings.HasPrefix(operation, "v") && strings.Contains(operands, "%xmm"),
			strings.HasPrefix(operation, "call"), strings.HasPrefix(operation, "ret"):
			found = append(found, fmt.Sprintf("%s at %s: %s with dirty upper halves", function, strings.TrimSpace(address), strings.TrimSpace(instruction)))
		}
	}
	return found, wide, lines.Err()
}

// TestScanMixedSSE: in a disassembly written by hand, scanMixedSSE finds the SSE instruction, the call and
// the return that follow the use of wide registers without VZEROUPPER, and nothing in a function that
// is not this module's or in one without such instructions.
func TestScanMixedSSE(t *testing.T) {
	const text = `
0000000000001000 <github.com/agekit/age/internal/simd.bad>:
  1000:	movss  (%rax),%xmm0
  1001:	vmovups (%rax),%ymm1
  1002:	vbroadcastss %xmm0,%ymm2
  1003:	cvtss2sd %xmm0,%xmm0
  1004:	call   2000 <runtime.panicIndex>
  1005:	vzeroupper
  1006:	addsd  %xmm0,%xmm1
  1007:	vpxord %zmm0,%zmm0,%zmm0
  1008:	ret
0000000000002000 <runtime.other>:
  2000:	vmovups (%rax),%ymm1
  2001:	movss  (%rax),%xmm0
0000000000003000 <github.com/agekit/age/agekit/cluster.good[go.shape.float32]>:
  3000:	movss  (%rax),%xmm0
  3001:	vaddps %zmm0,%zmm1,%zmm1
  3002:	vaddss %xmm0,%xmm1,%xmm1
  3003:	vzeroupper
  3004:	ret
`
	found, wide, err := scanMixedSSE(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"1003: cvtss2sd", "1004: call", "1008: ret"} {
		if i >= len(found) || !strings.Contains(found[i], "simd.bad at "+want) {
			t.Errorf("finding %d of %q, want %s", i, found, want)
		}
	}
	if len(found) != 3 || wide != 2 {
		t.Errorf("%d findings in %d functions with wide registers, want 3 in 2", len(found), wide)
	}
}
