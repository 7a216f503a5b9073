package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/alecthomas/kong"

	"github.com/agekit/age/agekit/backend"
	"github.com/agekit/age/agekit/run"
	"github.com/agekit/age/internal/files"
	"github.com/agekit/age/internal/simd"
	"github.com/agekit/age/internal/system"
)

type verifyCmd struct {
	Dir   string `arg:"" name:"dir" placeholder:"DIR" help:"The folder of agekit fit --out, agekit sweep or agekit reproduce."`
	Again bool   `help:"Also run the same again, in a folder and a store of its own, and compare each file. Start it in the folder in which the run was started."`
	Item  string `placeholder:"NAME" help:"With --again, only the files of this item of agekit reproduce, such as table3."`
	jsonFlag
}

// verified is what `agekit verify --json` prints.
type verified struct {
	*files.VerifiedFolder
	Again []secondRun `json:"again,omitempty"`
}

// secondRun is a second run, with what became of each file.
type secondRun struct {
	Manifest string          `json:"manifest"`
	Notes    []string        `json:"notes,omitempty"`
	Files    []files.Finding `json:"files"`
}

func (c *verifyCmd) Run(rt *Runtime) error {
	if c.Item != "" && !c.Again {
		return misused("--item is for --again")
	}
	checked, err := files.VerifyFolder(rt.Context, c.Dir)
	if err != nil {
		return err
	}
	found := verified{VerifiedFolder: checked}
	bad := checked.Bad()
	if c.Again && len(bad) == 0 {
		manifests := checked.Manifests
		if c.Item != "" {
			manifests = slices.DeleteFunc(manifests, func(m files.NamedManifest) bool { return m.Name != c.Item+files.ManifestExtension })
		}
		if len(manifests) == 0 {
			return misused("--item is %s: %s has no %s", files.Quote(c.Item), files.ShortPath(c.Dir), c.Item+files.ManifestExtension)
		}
		for _, m := range manifests {
			second, err := c.again(rt, m)
			if err != nil {
				return fmt.Errorf("%s: %w", m.Name, err)
			}
			found.Again = append(found.Again, second)
			for _, f := range second.Files {
				if f.State != files.FileOK {
					bad = append(bad, f.File+" of the second run")
				}
			}
		}
	}
	if err := c.emit(rt, found, func(w io.Writer) { found.print(w) }); err != nil {
		return err
	}
	if len(bad) > 0 {
		return fmt.Errorf("%d files differ: %s", len(bad), strings.Join(bad, ", "))
	}
	return nil
}

// again runs what a manifest describes and compares the files.
func (c *verifyCmd) again(rt *Runtime, m files.NamedManifest) (second secondRun, err error) {
	second.Manifest = m.Name
	if err := m.CheckInputs(rt.Context); err != nil {
		return second, err
	}
	temp, remove, err := files.ScratchFolder("agekit-verify-")
	if err != nil {
		return second, err
	}
	defer remove()
	out := filepath.Join(temp, "out")
	args, err := arguments(m.Manifest, temp, out)
	if err != nil {
		return second, err
	}
	program, err := os.Executable()
	if err != nil {
		return second, err
	}
	var errs bytes.Buffer
	cmd := exec.CommandContext(rt.Context, program, args...)
	cmd.Stderr = io.MultiWriter(&errs, rt.Stderr)
	// Stored settings, results and checkpoints would only be read again.
	cmd.Env = append(os.Environ(), "AGEKIT_STORE="+filepath.Join(temp, "store"))
	if len(m.SIMD) == 1 {
		cmd.Env = append(cmd.Env, simd.Variable+"="+m.SIMD[0])
	}
	if err := cmd.Run(); err != nil {
		if rt.Context.Err() != nil {
			return second, fmt.Errorf("stopped: %w", rt.Context.Err())
		}
		return second, fmt.Errorf("agekit %s: %w: %s", strings.Join(args, " "), err, system.LastLines(errs.Bytes(), 1))
	}
	if code := system.ProgramVersion().Code(); !slices.Equal(m.Code, []string{code}) {
		second.Notes = append(second.Notes, fmt.Sprintf("the files are of %s, this program is %s: bytes may differ", strings.Join(m.Code, ", "), code))
	}
	now, err := files.ReadManifest(filepath.Join(out, m.Name))
	if err != nil {
		return second, err
	}
	if !slices.Equal(now.Backends, m.Backends) {
		second.Notes = append(second.Notes, fmt.Sprintf("the files are of backend %s, the second run of %s: bytes may differ", strings.Join(m.Backends, ", "), strings.Join(now.Backends, ", ")))
	}
	for k, f := range m.Outputs { // this program says what may differ, not the folder
		m.Outputs[k].Timed = slices.ContainsFunc(now.Outputs, func(own files.ManifestFile) bool { return own.Path == f.Path && own.Timed })
	}
	second.Files, err = m.CompareFolders(c.Dir, out)
	return second, err
}

// arguments returns the command line that makes a manifest's files in another folder, and
// writes nowhere else.
func arguments(m *files.Manifest, temp, out string) ([]string, error) {
	if err := checkBackend(m.Settings); err != nil {
		return nil, err
	}
	settings := maps.Clone(m.Settings)
	for _, name := range []string{"item", "out", "report"} {
		delete(settings, name)
	}
	switch m.Command {
	case "fit":
		config := filepath.Join(temp, "config.json")
		content, err := json.Marshal(map[string]any{"settings": m.Settings})
		if err != nil {
			return nil, err
		}
		args := []string{"fit", "--config", config, "--out", out}
		for _, name := range slices.Sorted(maps.Keys(run.Exports)) {
			if slices.Contains(files.FilePaths(m.Outputs), run.Exports[name][0]) {
				args = append(args, "--export", name)
			}
		}
		return args, os.WriteFile(config, content, 0o666)
	case "sweep":
		return append([]string{"sweep", "--out", out}, flags(settings)...), nil
	case "reproduce":
		return append([]string{"reproduce", fmt.Sprint(m.Settings["item"]), "--out", out}, flags(settings)...), nil
	}
	return nil, fmt.Errorf("command %s: want fit, sweep or reproduce; what another program saved cannot be run again", files.Quote(m.Command))
}

// checkBackend returns an error if the settings in a file name a backend that is not the
// program's own: a file of others would choose the code that runs.
func checkBackend(settings map[string]any) error {
	name, _ := settings["backend"].(string)
	if strings.HasPrefix(name, "xla:") && name != backend.XLACPU && name != backend.XLACUDA {
		return fmt.Errorf("backend %s is code of others, which only the command line may choose: want agekit fit with --config FILE and this --backend", files.Quote(name))
	}
	return nil
}

// flags returns settings as flags, by name.
func flags(settings map[string]any) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		text := ""
		switch value := settings[name].(type) {
		case float64:
			text = strconv.FormatFloat(value, 'f', -1, 64) // not 1e+06: no integer is written so
		case []any:
			var texts []string
			for _, v := range value {
				texts = append(texts, fmt.Sprint(v))
			}
			text = kong.JoinEscaped(texts, ',')
		default:
			text = fmt.Sprint(value)
		}
		all = append(all, "--"+name+"="+text)
	}
	return all
}

func (v verified) print(w io.Writer) {
	for _, m := range v.Manifests {
		fmt.Fprintf(w, "%s: %s of %s; written by %s\n", m.Name, m.Command, strings.Join(slices.Sorted(maps.Keys(m.Graphs)), ", "), m.Program)
		fmt.Fprintf(w, "  computed by %s; %s; %s; seeds %v; %d inputs\n", strings.Join(m.Code, ", "), strings.Join(m.Backends, ", "), strings.Join(m.SIMD, ", "), m.Seeds, len(m.Inputs))
	}
	print := func(files []files.Finding) {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, f := range files {
			fmt.Fprintf(t, "%s\t%s\t%s\n", f.State, f.File, f.Detail)
		}
		t.Flush()
	}
	print(v.Files)
	for _, a := range v.Again {
		fmt.Fprintf(w, "\n%s, run again\n", a.Manifest)
		for _, note := range a.Notes {
			fmt.Fprintln(w, note)
		}
		print(a.Files)
	}
}
