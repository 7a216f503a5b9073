package lab

import (
	"encoding/json"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agekit/age/agekit/reproduce"
)

// statements compares sentences of a text with values, as check cells do: the words must stand in it once.
type statements struct {
	t    *testing.T
	name string // of the text, for messages
	text string
	c    Claims
}

// say is [Claims.Say] for words that the text must have once.
func (s *statements) say(words string, values ...float64) *Claims {
	s.t.Helper()
	if count := strings.Count(s.text, words); count != 1 {
		s.t.Errorf("%s says %d times, want once: %q", s.name, count, words)
	}
	return s.c.Say(words, values...)
}

// done ends the last claim, and fails the test if any is wrong.
func (s *statements) done() {
	s.t.Helper()
	if err := s.c.err(); err != nil {
		s.t.Errorf("%s: %v", s.name, err)
	}
}

// notes returns the speaker notes of a notebook, which a check cell does not see.
func notes(t *testing.T, number string) *statements {
	t.Helper()
	var all []string
	for _, c := range cells(t, number) {
		all = append(all, c.Metadata.Slideshow.Notes)
	}
	return &statements{t: t, name: "the notes of notebook " + number, text: strings.Join(all, "\n\n")}
}

// page returns a file.
func page(t *testing.T, path string) *statements {
	return &statements{t: t, name: path, text: string(must(os.ReadFile("../../" + path)))}
}

// storedTable returns the cells of the tables in a notebook's stored outputs, row by row. Tables are HTML.
func storedTable(t *testing.T, number string) (rows [][]string) {
	t.Helper()
	row, tag := regexp.MustCompile(`(?s)<tr.*?</tr>`), regexp.MustCompile(`(?s)<[^>]*>`)
	field := regexp.MustCompile(`(?s)<t[dh].*?</t[dh]>`)
	for _, c := range cells(t, number) {
		for _, o := range c.Outputs {
			var lines []string
			if err := json.Unmarshal(o.Data["text/html"], &lines); err != nil { // no table
				continue
			}
			for _, r := range row.FindAllString(strings.Join(lines, ""), -1) {
				var texts []string
				for _, f := range field.FindAllString(r, -1) {
					texts = append(texts, strings.TrimSpace(tag.ReplaceAllString(f, "")))
				}
				rows = append(rows, texts)
			}
		}
	}
	return rows
}

// storedNumber returns a number in the stored tables of a notebook: in the row that begins with a name and has
// that many cells, in the column from 0. A last % is left out.
func storedNumber(t *testing.T, number, name string, count, column int) float64 {
	t.Helper()
	for _, row := range storedTable(t, number) {
		if len(row) == count && row[0] == name {
			value, err := strconv.ParseFloat(strings.TrimSuffix(row[column], " %"), 64)
			if err != nil {
				t.Errorf("notebook %s, %s: %v", number, name, err)
			}
			return value
		}
	}
	t.Errorf("notebook %s has no stored row %q of %d cells", number, name, count)
	return math.NaN()
}

// TestNotes compares figures in speaker notes with stored results and with stored outputs of the notebooks.
func TestNotes(t *testing.T) {
	seeds := func(dataset, method string) float64 {
		return float64(len(must(SeedScores(clusteringOf(dataset, method, reproduce.Paper), "ACC"))))
	}
	three := notes(t, "03")
	three.say("61 % of the nodes keep a teacher, and 27 % in the last selection",
		storedNumber(t, "03", "as many, after training", 6, 3), storedNumber(t, "03", "last selection", 6, 3))
	three.say("On Cora the losses are 0.124 and 0.163 and the indices 1.008 and 0.921",
		storedNumber(t, "03", "1.1 %", 5, 1), storedNumber(t, "03", "5.5 %", 5, 1), storedNumber(t, "03", "1.1 %", 5, 2), storedNumber(t, "03", "5.5 %", 5, 2))
	three.say("but 94 % and 58 % have the same class.", storedNumber(t, "03", "1.1 %", 5, 4), storedNumber(t, "03", "5.5 %", 5, 4))
	three.done()

	five := notes(t, "05")
	five.say("ten seeds each (on Pubmed ten, three or one)").Near("AGE on Cora", seeds("cora", "AGE"), 10, 0).
		Near("LS+RX on Wiki", seeds("wiki", "LS+RX"), 10, 0).Near("LS on Pubmed", seeds("pubmed", "LS"), 10, 0).
		Near("AGE on Pubmed", seeds("pubmed", "AGE"), 3, 0).Near("LS+RX on Pubmed", seeds("pubmed", "LS+RX"), 1, 0)
	tests := 0. // rows of the table: data sets and scores with a p
	for _, row := range storedTable(t, "05") {
		if len(row) == 7 && slices.Contains(paperSets, row[0]) {
			tests++
		}
	}
	five.say("twelve tests are made here").Near("tests", tests, 12, 0)
	five.done()

	seven := notes(t, "07")
	inverse := func(dataset string) float64 {
		record, _ := must(Results()).Get(reproduce.Run{Task: reproduce.Spectrum, Dataset: dataset})
		return 1 / record.Scores["lambda_max"]
	}
	seven.say("On Pubmed, by 10 %; on Citeseer, by 0.1 %", 100*(2/3./inverse("pubmed")-1), 100*(2/3./inverse("citeseer")-1)).
		Below("Cora", 2/3., inverse("cora")).Below("Wiki", 2/3., inverse("wiki"))
	seven.done()

	eight := notes(t, "08")
	eight.say("has 0.578 on Cora, where this line ends at 0.521.", meanOf(clusteringOf("cora", "AGE", reproduce.Paper), "NMI"),
		must(strconv.ParseFloat(regexp.MustCompile(`with eight they have (0\.\d+)`).FindStringSubmatch(markdown(t)["08"])[1], 64)))
	eight.done()

	ten := notes(t, "10")
	ten.say("is 0.50 good?", storedNumber(t, "10", "20 epochs, 64 dimensions", 7, 1))
	ten.done()
}

// TestPublishedMode compares what docs/reproduction.md says of the rows in published mode with the printed ones: all
// that are further away than it says are named.
func TestPublishedMode(t *testing.T) {
	s := page(t, "docs/reproduction.md")
	printed := func(dataset, method string) float64 {
		value, _ := reproduce.Printed(2, method, dataset, "ACC")
		return value
	}
	published := func(dataset, method string) float64 {
		return meanOf(clusteringOf(dataset, method, reproduce.Published), "ACC")
	}
	const near = 0.07
	far := map[string]bool{}
	for _, dataset := range paperSets {
		for _, method := range slices.Concat(onFeatures, onEdges, onBoth) {
			if math.Abs(published(dataset, method)-printed(dataset, method)) > near { // not for NaN
				far[method+" "+dataset] = true
			}
		}
	}
	var figures []float64
	named := [][2]string{{"citeseer", "TADW"}, {"pubmed", "TADW"}, {"citeseer", "ARGA"}, {"pubmed", "Spectral-G"}, {"pubmed", "MGAE"}, {"pubmed", "ARGA"}}
	for _, n := range named {
		if !far[n[1]+" "+n[0]] {
			t.Errorf("%v is near the printed row", n)
		}
		figures = append(figures, published(n[0], n[1]), printed(n[0], n[1]))
	}
	s.say("comes within .07 of the printed ACC, but for TADW on Citeseer (.657 and printed .455) and Pubmed (.606 and .511), ARGA on Citeseer (.479 and .573), "+
		"and on Pubmed Spectral-G (.397 and .528), MGAE (.417 and .593) and ARGA (.449 and .681).", append([]float64{near}, figures...)...).
		True(len(far) == len(named), "further away: %v", far)
	s.say("On Wiki, K-means has .365 instead of .417.", published("wiki", "K-means"), printed("wiki", "K-means"))
	s.done()
}

// TestBestModeTime compares what the docs say of the time that best mode takes with the stored runs: those that had the
// machine to themselves, and on Pubmed, where there are none, all.
func TestBestModeTime(t *testing.T) {
	times := func(dataset string, alone bool) float64 {
		return storedSeconds(t, clusteringOf(dataset, "AGE", reproduce.Best), alone) / storedSeconds(t, clusteringOf(dataset, "AGE", reproduce.Paper), alone)
	}
	cora, citeseer, wiki, gostd, pubmed := times("cora", true), times("citeseer", true), times("wiki", true), times("gostd", true), times("pubmed", false)
	best := page(t, "docs/best-mode.md")
	best.say("in 1.5, 2.4 and 3.2 times the time of paper mode on Cora, Citeseer and Wiki, and a third of it on Pubmed:", cora, citeseer, wiki).
		Near("Pubmed", pubmed, 1./3, 0.05)
	best.done()
	for path, words := range map[string]string{
		"docs/performance.md": "1.3 to 3.2 times as slow on small graphs",
		"docs/README.md":      "1.3 to 3.2 times the time on small graphs",
	} {
		s := page(t, path)
		s.say(words, min(cora, citeseer, wiki, gostd), max(cora, citeseer, wiki, gostd))
		s.done()
	}
}

// TestAnchors: the standard errors in notebook 10's stored table fall as its text says.
func TestAnchors(t *testing.T) {
	s := &statements{t: t, name: "notebook 10", text: markdown(t)["10"]}
	c := s.say("Four times as many anchors roughly halve the error.")
	for _, anchors := range [][2]string{{"50", "200"}, {"200", "800"}} {
		c.Near("from "+anchors[0], storedNumber(t, "10", anchors[1], 4, 3)/storedNumber(t, "10", anchors[0], 4, 3), 0.5, 0.15)
	}
	s.done()
}

// TestStageTimes: docs/performance.md says how much longer stages take with AVX2, and steps in plain Go, than
// docs/bench/stages.md has it for AVX-512.
func TestStageTimes(t *testing.T) {
	slowest := 0. // of all stages with AVX2
	var plain []float64
	for line := range strings.SplitSeq(page(t, "docs/bench/stages.md").text, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) < 5 || cells[2] != "1.0" && cells[2] != "1.2" { // a table with the multiples of the best level
			continue
		}
		slowest = max(slowest, must(strconv.ParseFloat(cells[3], 64))/must(strconv.ParseFloat(cells[1], 64)))
		if cells[0] == "train step" && len(cells) == 7 {
			plain = append(plain, must(strconv.ParseFloat(cells[5], 64))/must(strconv.ParseFloat(cells[1], 64)))
		}
	}
	s := page(t, "docs/performance.md")
	s.say("No stage takes more than 1.4 times as long with AVX2 as with AVX-512;").Below("the slowest", slowest, 1.4)
	s.say("a training step in plain Go takes six to twelve times as long").Near("the least", slices.Min(plain), 6, 0.5).Near("the most", slices.Max(plain), 12, 0.5)
	s.done()
}
