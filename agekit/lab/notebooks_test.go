package lab

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/agekit/age/internal/testutil"
)

// markdown returns the text of all notebooks, without code, by their numbers "00" to "10".
func markdown(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, number := range []string{"00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10"} {
		texts[number] = strings.Join(testutil.NotebookCells(t, "../../notebooks/"+number+"_*.ipynb", "markdown"), "\n\n")
	}
	return texts
}

// slide is a slide of a notebook that has speaker notes.
type slide struct {
	section string // the last heading
	minutes int
}

var (
	minutesStated = regexp.MustCompile(`(?i)(\d+|one|two|three|four|five|six|seven|eight|nine|ten) minutes?`)
	numberWords   = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"}
)

// notebookCell is a cell of a notebook as it is stored.
type notebookCell struct {
	Type     string `json:"cell_type"`
	Source   []string
	Metadata struct {
		Slideshow struct {
			Notes string
			Type  string `json:"slide_type"`
		}
		Tags    []string
		Jupyter struct {
			OutputsHidden bool `json:"outputs_hidden"`
			SourceHidden  bool `json:"source_hidden"`
		}
	}
	Outputs []struct{ Data map[string]json.RawMessage }
}

// collapsed returns what JupyterLab shows in the place of the cell's outputs once they are
// collapsed: the first line of the first output.
func (c notebookCell) collapsed() string {
	if len(c.Outputs) == 0 {
		return ""
	}
	for _, kind := range []string{"text/html", "image/svg+xml", "application/pdf", "text/markdown", "text/plain"} {
		if data, ok := c.Outputs[0].Data[kind]; ok {
			var lines []string
			if err := json.Unmarshal(data, &lines); err != nil || len(lines) == 0 {
				return string(data)
			}
			return lines[0]
		}
	}
	return "text that was printed"
}

// interactive returns the number of interactive figures in the cell's outputs.
func (c notebookCell) interactive() (figures int) {
	for _, o := range c.Outputs {
		figures += strings.Count(string(o.Data["text/html"]), `class=\"agekit-interactive\"`)
	}
	return figures
}

// cells returns the cells of the notebook with a number such as "03".
func cells(t *testing.T, number string) []notebookCell {
	t.Helper()
	paths, err := filepath.Glob("../../notebooks/" + number + "_*.ipynb")
	if err != nil || len(paths) != 1 {
		t.Fatalf("notebook %s: %v, error %v", number, paths, err)
	}
	var notebook struct{ Cells []notebookCell }
	testutil.NoError(t, json.Unmarshal(must(os.ReadFile(paths[0])), &notebook))
	return notebook.Cells
}

// slides returns the slides of a notebook whose speaker notes say how many minutes they take,
// and the numbers of the notebook's interactive figures and exercises. A note that says 30
// minutes or more is about the whole notebook, and not among the slides.
func slides(t *testing.T, number string) (all []slide, interactive, exercises int) {
	t.Helper()
	section := ""
	for _, c := range cells(t, number) {
		text := strings.Join(c.Source, "")
		heading, _, _ := strings.Cut(text, "\n")
		if strings.HasPrefix(heading, "##") {
			section = strings.TrimLeft(heading, "# ")
		}
		exercises += strings.Count(text, "### Exercise ")
		interactive += c.interactive()
		if found := minutesStated.FindStringSubmatch(c.Metadata.Slideshow.Notes); found != nil {
			minutes, err := strconv.Atoi(found[1])
			if err != nil {
				minutes = slices.Index(numberWords, strings.ToLower(found[1]))
			}
			const wholeNotebook = 30
			if minutes < wholeNotebook {
				all = append(all, slide{section, minutes})
			}
		}
	}
	return all, interactive, exercises
}

// exerciseMinutes is what the three exercises of a notebook take: 5 for a prediction, 10
// for a change and 30 for a function.
const exerciseMinutes = 45

// TestMinutes: the minutes that notebooks and the lecture plans of docs/lecture.md state are the
// sums of the minutes in speaker notes, in notebooks with exerciseMinutes and rounded to five.
func TestMinutes(t *testing.T) {
	minutes := map[string]int{}
	for number, text := range markdown(t) {
		all, _, _ := slides(t, number)
		for _, s := range all {
			minutes[number] += s.minutes
		}
		if number == "00" {
			continue // without exercises
		}
		want := int(5 * math.Round(float64(minutes[number]+exerciseMinutes)/5))
		if !regexp.MustCompile(fmt.Sprintf(`(about|\*\*Time:\*\*|About) %d minutes with the exercises`, want)).MatchString(text) {
			t.Errorf("notebook %s does not say its %d + %d minutes, %d", number, minutes[number], exerciseMinutes, want)
		}
		if !regexp.MustCompile(fmt.Sprintf(`\| \[%s [^\n]* \| %d min \|`, number, want)).MatchString(markdown(t)["00"]) {
			t.Errorf("notebook 00 does not give notebook %s its %d minutes", number, want)
		}
	}
	near(t, "minutes of notebook 00, which says twenty", float64(minutes["00"]), 20, 3)
	near(t, "minutes of 00 to 05, almost four hours", float64(minutes["00"]+minutes["01"]+minutes["02"]+minutes["03"]+minutes["04"]+minutes["05"]), 235, 5)

	for _, plan := range []int{90, 180} {
		checkPlan(t, plan)
	}
}

var (
	planRow          = regexp.MustCompile(`\| (\d+)–(\d+) \| ([^|]*) \| ([^|]*)\|`) // minutes, text, notebook with its sections
	italics          = regexp.MustCompile(`\*([^*]+)\*`)
	bracketedMinutes = regexp.MustCompile(`\((\d+) minutes\)`)
)

// checkPlan tests the plan for a lecture of a number of minutes in docs/lecture.md: its rows
// follow one another from minute 0 to the end, and each row takes the minutes in the notes of
// the sections that it names, and those of the exercises that it names.
func checkPlan(t *testing.T, minutes int) {
	t.Helper()
	_, plan, _ := strings.Cut(string(must(os.ReadFile("../../docs/lecture.md"))), fmt.Sprintf("## %d minutes\n", minutes))
	plan, _, _ = strings.Cut(plan, "\n## ")
	minute := 0
	for _, row := range planRow.FindAllStringSubmatch(plan, -1) {
		begin, end := must(strconv.Atoi(row[1])), must(strconv.Atoi(row[2]))
		text, sections := row[3], row[4]
		if begin != minute {
			t.Errorf("the plan goes from minute %d to %d", minute, begin)
		}
		minute = end
		if sections == "" {
			continue
		}
		sum := 0
		all, _, _ := slides(t, sections[:2])
		for _, found := range italics.FindAllStringSubmatch(sections, -1) {
			section, slidesFound := found[1], false
			for _, s := range all {
				if s.section == section {
					slidesFound = true
					sum += s.minutes
				}
			}
			if !strings.HasPrefix(section, "Exercise ") {
				if !slidesFound {
					t.Errorf("%s: no slide %q", row[0], section)
				}
				continue
			}
			exercise := strings.ToLower(strings.TrimSuffix(section, " · Predict"))
			if !strings.Contains(text, exercise+" (") {
				t.Errorf("%s: no minutes for %s", row[0], exercise)
			}
		}
		for _, found := range bracketedMinutes.FindAllStringSubmatch(text, -1) {
			sum += must(strconv.Atoi(found[1]))
		}
		if sum != end-begin {
			t.Errorf("%s: the notes and the exercise take %d minutes", row[0], sum)
		}
	}
	if minute != minutes {
		t.Errorf("the plan of %d minutes ends at minute %d", minutes, minute)
	}
}

// notWords matches what TestLength does not count as words: formulas, code, the targets of
// links, and tags.
var notWords = regexp.MustCompile("(?s)```.*?```|\\$\\$.*?\\$\\$|\\$[^$]*\\$|`[^`]*`|\\]\\([^)]*\\)|<[^>]*>")

// TestLength: no notebook has more than 1,500 words before its exercises, and one that
// introduces many methods has no more than 12 cells with code that a reader sees.
func TestLength(t *testing.T) {
	for number := range markdown(t) {
		words, code := 0, 0
		exercises := false
		for _, c := range cells(t, number) {
			text := strings.Join(c.Source, "")
			exercises = exercises || strings.HasPrefix(text, "## Exercises")
			if c.Type == "code" {
				if !slices.Contains(c.Metadata.Tags, "check") {
					code++
				}
			} else if !exercises {
				for word := range strings.FieldsSeq(notWords.ReplaceAllString(text, " ")) {
					if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
						words++
					}
				}
			}
		}
		const mostWords, mostCode = 1500, 12
		if words > mostWords {
			t.Errorf("notebook %s has %d words before its exercises, want up to 1,500", number, words)
		}
		if number == "09" && code > mostCode {
			t.Errorf("notebook 09 has %d cells with code, want up to 12", code)
		}
	}
}

// TestNamesExist: an exported name such as lab.Corner in the texts and speaker notes of notebooks
// is declared in the package.
func TestNamesExist(t *testing.T) {
	named := regexp.MustCompile(`\b(agekit|lab|figure|metric|exercise|laplacian|input|reproduce)\.([A-Z]\w*)`)
	for number := range markdown(t) {
		for _, c := range cells(t, number) {
			text := strings.Join(c.Source, "")
			if c.Type == "code" { // a run of the cell finds wrong names
				text = ""
			}
			for _, found := range named.FindAllStringSubmatch(text+" "+c.Metadata.Slideshow.Notes, -1) {
				folder, ok := map[string]string{"agekit": "..", "lab": ".", "exercise": "exercise"}[found[1]]
				if !ok {
					folder = filepath.Join("..", found[1])
				}
				sources := must(filepath.Glob(filepath.Join(folder, "*.go")))
				declared := regexp.MustCompile(`(?m)^(func|type|var|const) ` + found[2] + `\b`)
				if !slices.ContainsFunc(sources, func(path string) bool { return declared.Match(must(os.ReadFile(path))) }) {
					t.Errorf("notebook %s speaks of %s, which is not there", number, found[0])
				}
			}
		}
	}
}

// TestTeaching: docs/teaching.md states the number of exercises, which each notebook but 00 has
// three of, and the numbers of interactive figures and of notebooks with any.
func TestTeaching(t *testing.T) {
	figures, notebooks := 0, 0
	for number := range markdown(t) {
		_, interactive, exercises := slides(t, number)
		figures += interactive
		if interactive > 0 {
			notebooks++
		}
		if want := map[bool]int{false: 3}[number == "00"]; exercises != want {
			t.Errorf("notebook %s has %d exercises, want %d", number, exercises, want)
		}
	}
	page := string(must(os.ReadFile("../../docs/teaching.md")))
	for _, text := range []string{
		"three for each of 01–10",
		fmt.Sprintf("| %s, in %s of eleven notebooks;", numberWords[figures], numberWords[notebooks]),
	} {
		if !strings.Contains(page, text) {
			t.Errorf("docs/teaching.md does not say %q", text)
		}
	}
}

// asks are the words by which a text asks for a prediction.
var asks = regexp.MustCompile(`(?i)\bguess|\bpredict:|before you (look|run)|you expect`)

// untilHeading are the notebooks in which what follows a question waits for the reader up to the
// next heading. In the others, what follows *What to notice* may be seen at once.
var untilHeading = []string{"01", "02", "03", "05", "07", "09"}

// TestPredictFirst: an answer does not stand below its question. JupyterLab collapses the
// output and shows its first line, which says nothing; its tag folds it in reports and makes it
// a step of its own on slides, and so is what follows to notice. A figure that the reader has to
// move may be seen at once. (TestInLab in scripts asks
// JupyterLab itself for that line.)
func TestPredictFirst(t *testing.T) {
	for number := range markdown(t) {
		asked, shown, questions := false, false, 0 // shown: the question's first answer has come
		moves := false                             // the question asks to move t from the start
		strict := slices.Contains(untilHeading, number)
		for _, c := range cells(t, number) {
			text := strings.Join(c.Source, "")
			if strings.HasPrefix(text, "## Exercises") {
				break
			}
			waits := slices.Contains(c.Metadata.Tags, "hide-output")
			if waits != c.Metadata.Jupyter.OutputsHidden {
				t.Errorf("%s: tagged %v, collapsed %v: %s", number, waits, c.Metadata.Jupyter.OutputsHidden, text)
			}
			if waits && c.Metadata.Jupyter.SourceHidden {
				t.Errorf("%s: JupyterLab shows no place to click where both halves of a cell are collapsed: %s", number, text)
			}
			if waits && c.collapsed() != "Reveal: click" {
				t.Errorf("%s: JupyterLab shows %q below a question: %s", number, c.collapsed(), text)
			}
			folded := strings.HasPrefix(text, "<details><summary>Reveal</summary>\n\n") && strings.HasSuffix(text, "\n\n</details>")
			switch question := strings.Contains(text, "**Predict:**"); {
			case c.Type == "code" && asked && len(c.Outputs) > 0 && c.interactive() == 0 && !waits:
				t.Errorf("%s: the answer is seen below the question: %s", number, text)
			case c.Type == "code" && asked && moves && c.interactive() > 0 && !strings.Contains(text, "Layers: 0}"):
				t.Errorf("%s: the figure starts at the answer: %s", number, text)
			case c.Type == "code":
				shown = shown || len(c.Outputs) > 0
			case !question && asks.MatchString(text):
				t.Errorf("%s: a question without **Predict:**: %s", number, text)
			case strings.HasPrefix(text, "#") || question:
				asked, shown, moves = question, false, strings.HasSuffix(text, "Move *layers t* to the right.")
				if question {
					questions++
				}
			case asked && (shown && strict || strings.Contains(text, "**What to notice.**")) && !strings.HasPrefix(text, "<details><summary>Reveal</summary>\n\n"),
				asked && strict && strings.HasPrefix(text, "<details>") && !folded:
				t.Errorf("%s: the answer is read below the question: %s", number, text)
			case strings.Contains(text, "**What to notice.**") && !strict:
				asked = false
			}
		}
		if questions == 0 && number != "00" {
			t.Errorf("notebook %s asks for no prediction", number)
		}
	}
}

// TestLaterCells: notebooks 00, 01 and 04 say that what a cell declares above %% carries over to later
// cells. Notebook 01 relies on it: one cell declares x above %%, and a later one uses x and does not
// declare it. Only the texts are compared here. (TestCellsCarryOver runs such cells in the kernel.)
func TestLaterCells(t *testing.T) {
	for notebook, text := range map[string]string{
		"00": "Types, functions, imports and variables declared above `%%` carry over to later cells; **what a cell computes does not**.",
		"01": "what stands above `%%` carries over to later cells, what a cell computes does not.",
		"04": "with the declarations of those before it, but with nothing that they have computed",
	} {
		if !strings.Contains(markdown(t)[notebook], text) {
			t.Errorf("notebook %s does not say %q", notebook, text)
		}
	}
	cells := testutil.NotebookCells(t, "../../notebooks/01_*.ipynb", "code")
	declares := slices.IndexFunc(cells, func(cell string) bool {
		above, _, _ := strings.Cut(cell, "%%")
		return strings.Contains(above, "\nvar x = []float64{")
	})
	if declares < 0 || !slices.ContainsFunc(cells[declares+1:], func(cell string) bool {
		return strings.Contains(cell, "mat.NewVecDense(len(x), x)") && !strings.Contains(cell, "var x")
	}) {
		t.Error("notebook 01 has no variable that later cells use")
	}
}
