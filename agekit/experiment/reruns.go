package experiment

import "slices"

// rerun is what others got who ran a method's public code again, without labels in
// any choice.
type rerun struct {
	method, dataset string
	mode            Mode
	acc, deviation  float64 // the deviation is 0 if there is none or it is unknown
	nmi, ari        float64
	whose           string
	// why says where a difference comes from. It is there if the difference in
	// ACC is more than .02 and more than twice the larger deviation.
	why string
}

// The sources of the re-runs.
const (
	pyAGC   = "PyAGC 1.1.2's table"
	sdcn    = "SDCN's table 2 (Bo et al., WWW 2020)"
	authors = "the authors' code, in numpy"
	scikit  = "scikit-learn"
)

var reruns = []rerun{
	{"K-means", "cora", Published, .500, .055, .322, .232, scikit, ""},
	{"K-means", "citeseer", Published, .537, .047, .320, .289, scikit, ""},
	{"Spectral-G", "cora", Published, .328, 0, .149, .012, scikit, "our start is another; .342 is printed"},
	{"GAE", "cora", Paper, .675, 0, .501, .456, pyAGC, "PyAGC divides the features by their row sums and compares each edge with one non-edge; our network with both has ACC .657 ± .027"},
	{"GAE", "citeseer", Paper, .614, .008, .346, .336, sdcn, "SDCN's network has the widths 500, 500, 2000, 10 and pretrained weights"},
	{"VGAE", "citeseer", Paper, .610, .004, .327, .331, sdcn, "another network, as for GAE: 500, 500, 2000 and 10 wide, pretrained"},
	{"MGAE", "cora", Published, .684, .026, .511, .443, authors, ""},
	{"AGC", "cora", Published, .689, 0, .537, .448, authors, ""},
	{"AGC", "wiki", Published, .492, 0, .460, .155, authors, "those files repeat edges, and stop at t = 7; ours have each edge once, and t is 6"},
	{"DAEGC", "cora", Published, .641, .032, .469, .384, pyAGC, ""},
	{"DAEGC", "citeseer", Published, .645, .014, .364, .378, sdcn, ""},
	{"SSGC", "cora", Published, .654, 0, .519, .413, pyAGC, ""},
	{"MS2CAG", "cora", Published, .703, 0, .536, .458, pyAGC, "not found: the formulas and settings are the same. With ln(n/df) words ours has .718"},
	{"DGI", "cora", Published, .722, 0, .562, .520, pyAGC, ""},
	{"NS4GC", "cora", Published, .749, .006, .594, .566, pyAGC, ""},
}

// addReruns adds a table of the results on a data set beside what others got, and
// why they differ.
func addReruns(out *Output, s source, dataset string) {
	table := table{
		Caption: DatasetTitle(dataset) + ": others who ran the same methods again",
		Header:  []string{"", "mode", "ACC", "theirs", "NMI", "theirs", "ARI", "theirs", "whose, and why they differ"},
	}
	for _, r := range reruns {
		kind := Run{Task: Clustering, Dataset: dataset, Method: r.method, Mode: r.mode}
		if r.dataset != dataset || !slices.Contains(s.Methods, r.method) || !slices.Contains(s.Modes, r.mode) {
			continue
		}
		f := s.find(kind)
		acc, nmi, ari := f.score("ACC"), f.score("NMI"), f.score("ARI")
		if acc.count == 0 {
			continue
		}
		theirs := fixed(r.acc, 3)
		if r.deviation > 0 {
			theirs += " ± " + fixed(r.deviation, 3)
		}
		whose := r.whose
		if r.why != "" {
			whose += ": " + r.why
		}
		table.Rows = append(table.Rows, []string{
			r.method, kind.modeName(), acc.text(), theirs, nmi.text(), fixed(r.nmi, 3), ari.text(), fixed(r.ari, 3), whose,
		})
	}
	out.addTable(table)
}
