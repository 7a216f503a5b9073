package main

import (
	"strings"
	"unicode/utf16"
)

// utf16Text is text as some editors save it: with a byte-order mark, two bytes
// a character.
func utf16Text(s string) maker {
	b := []byte{0xff, 0xfe}
	for _, v := range utf16.Encode([]rune(s)) {
		b = append(b, byte(v), byte(v>>8))
	}
	return raw(b)
}

const labeled = "fit " + own + " --labels l.txt"

// badText are wrong edges, labels and features in text files.
var badText = []bad{
	{"edge out of range", of("e.tsv", text("0\t1\n1\t6\n")), "", "fit " + own, 1, `e.tsv:2: node "6", want 0 to 5`},
	{"edge negative", of("e.tsv", text("0\t-1\n")), "", "fit " + own, 1, `e.tsv:1: node "-1", want 0 to 5`},
	{"edge of one node", of("e.tsv", text("0\t1\n3\n")), "", "fit " + own, 1, "e.tsv:2: 1 fields, want 2 as in the first line"},
	{"edge of four fields", of("e.tsv", text("0 1 2 3\n")), "", "fit " + own, 1, "e.tsv: 4 columns without names: want two"},
	{"edge 2³¹", of("e.tsv", text("0 2147483648\n")), "", "fit " + own, 1, "e.tsv:1: "},
	{"edge 2⁶³", of("e.tsv", text("0 9223372036854775808\n")), "", "fit " + own, 1, "e.tsv:1: "},
	{"edge of digits", of("e.tsv", long("", "9", 1<<20)), "", "fit " + own, 1, "e.tsv: 1 columns: want two"},
	{"weight 0", of("e.tsv", text("0 1 0\n")), "", "fit " + own, 1, "e.tsv:1: weight 0 in column 3: want a positive"},
	{"weight negative", of("e.tsv", text("0 1 -3\n")), "", "fit " + own, 1, "e.tsv:1: weight -3 in column 3: want a positive"},
	{"weight NaN", of("e.tsv", text("0 1 NaN\n1 2 3\n")), "", "fit " + own, 1, "e.tsv:1: weight NaN in column 3: want a positive"},
	{"weight infinite", of("e.tsv", text("0 1 1e39\n")), "", "fit " + own, 1, "e.tsv:1: weight 1e+39 in column 3: want"},
	{"weight tiny", of("e.tsv", text("0 1 1e-60\n")), "", "fit " + own, 1, "e.tsv:1: weight 1e-60 in column 3: want"},
	{"weights on some", of("e.tsv", text("0 1 2\n1 2\n")), "", "fit " + own, 1, "e.tsv:2: 2 fields, want 3 as in the first line"},
	{"edges with NULs", of("e.tsv", text("0\x001\n")), "", "fit " + own, 1, "e.tsv: line 1 contains a NUL byte … want UTF-8 text"},
	{"edges of NULs", of("e.tsv", long("", "\x00", 5<<20)), "", "fit " + own, 1, "e.tsv: line 1 contains a NUL byte … want UTF-8 text"},
	{"edges of garbage", of("e.tsv", long("", "garbage", 1<<17)), "", "fit " + own, 1, "e.tsv: 1 columns: want two"},
	{"edges in a line over 64 MB", of("e.tsv", long("", " ", 65<<20)), "", "fit " + own, 1, "e.tsv: line 1 has more than 67108864 bytes"},
	{"edges of control characters", of("e.tsv", text("\x1b[31m0\x07 1\n")), "", "fit " + own, 1, "e.tsv:1: node \"\ufffd[31m0\ufffd\", want 0 to 5"},
	{"edges of another type", of("e.xml", text("<graph/>")), "", "fit --edges e.xml --features x.csv", 1, `e.xml: table of type ".xml", want .csv or .edgelist`},
	{"edges compressed", of("e.tsv", text("\x1f\x8b\x08\x00\x00\x00\x00\x00")), "", "fit " + own, 1, "e.tsv: line 1 contains a NUL byte … want UTF-8 text"},
	{"no edge file", nil, "", "fit --edges none.tsv --features x.csv", 1, "none.tsv: no such file"},

	{"feature NaN", of("x.csv", text("1,2,3\n1,NaN,1\n")), "", "fit " + own, 1, "x.csv:2: column 2: NaN, want a finite number"},
	{"feature infinite", of("x.csv", text("1,2,3\n1,1,inf\n")), "", "fit " + own, 1, "x.csv:2: column 3: +Inf, want a finite number"},
	{"feature above float32", of("x.csv", text("1,2,3\n1,1,1e39\n")), "", "fit " + own, 1, "x.csv:2: column 3: … want"},
	{"feature in words", of("x.csv", text("1,2,3\n1,1,high\n")), "", "fit " + own, 1, `x.csv:2: column 3: "high", want a number`},
	{"feature in words, first line", of("x.csv", text("1,x\n3,4\n")), "", "fit " + own, 1, `x.csv:1: column 2: "x", want a number`},
	{"feature empty", of("x.csv", text("1,2,3\n1,,1\n")), "", "fit " + own, 1, `x.csv:2: column 2: "", want a number`},
	{"features after a comma", of("x.csv", text("1,2,3,\n1,2,3,\n")), "", "fit " + own, 1, `x.csv:1: column 4: "", want a number`},
	{"features with decimal commas", of("x.csv", text("1,5;2,5\n")), "", "fit " + own, 1, `x.csv:1: column 2: "5;2", want a number`},
	{"ragged, too few", of("x.csv", text("1,2,3\n0,1,0\n1,1\n")), "", "fit " + own, 1, "x.csv:3: 2 fields, want 3"},
	{"ragged, too many", of("x.csv", text("1,2,3\n0,1,0\n1,1,1,1\n")), "", "fit " + own, 1, "x.csv:3: 4 fields, want 3"},
	{"ragged below a header", of("x.csv", text("a,b\n0,1,0\n")), "", "fit " + own, 1, "x.csv:2: 3 fields, want 2"},
	{"features empty", of("x.csv", text("")), "", "fit " + own, 1, "x.csv: no lines: want a table"},
	{"features header only", of("x.csv", text("a,b\n")), "", "fit " + own, 1, "x.csv: no rows: want one per node"},
	{"features of fewer nodes", of("x.csv", text("1,0\n0,1\n1,1\n0,1\n")), "", "fit " + own, 1, `e.tsv:4: node "4", want 0 to 3`},
	{"features all zero", of("x.csv", long("", "0,0,0\n", 6)), "", "fit " + own, 1, "x.csv: all features are 0: want another number"},
	{"features of 2²⁴ + 1 columns", of("x.csv", long("1", ",1", 1<<24)), "", "fit " + own, 1, "x.csv: the columns of a table: … of memory, want at most"},
	{"features in a line over 64 MB", of("x.csv", long("", "1.00000000,", 6<<20)), "", "fit " + own, 1, "x.csv: line 1 has more than 67108864 bytes"},
	{"features of garbage", of("x.csv", long("1,2\n", "garbage,", 1<<17)), "", "fit " + own, 1, "x.csv:2: 131073 fields, want 2"},
	{"features in one word of 5 MB", of("x.csv", long("1,2\n", "x", 5<<20)), "", "fit " + own, 1, "x.csv:2: 1 fields, want 2"},
	{"features with NULs", of("x.csv", text("1,2\n\x00,4\n")), "", "fit " + own, 1, "x.csv: line 2 contains a NUL byte … want UTF-8 text"},
	{"features of another type", of("x.parquet", text("PAR1")), "", "fit --edges e.tsv --features x.parquet", 1, `x.parquet: features of type ".parquet", want .csv or .npy or .npz`},
	{"features without a type", of("x", text("1,2\n")), "", "fit --edges e.tsv --features x", 1, `x: features of type "", want .csv or .npy or .npz`},
	{"no feature file", nil, "", "fit --edges e.tsv --features none.csv", 1, "none.csv: no such file"},

	{"too few labels", of("l.txt", text("a\nb\n")), "", labeled, 1, "l.txt: 2 labels: want 6, one for each row"},
	{"too many labels", of("l.txt", long("", "a\nb\n", 4)), "", labeled, 1, "l.txt: 8 labels: want 6, one for each row … and no header"},
	{"no labels in the file", of("l.txt", text("# none\n")), "", labeled, 1, "l.txt: no lines: want a table"},
	{"labels with NULs", of("l.txt", text("a\na\x00\na\nb\nb\nb\n")), "", labeled, 1, "l.txt: line 2 … want"},
	{"labels in a line of 5 MB", of("l.txt", long("", "a", 5<<20)), "", labeled, 1, "l.txt"},
	{"labels in a line over 64 MB", of("l.txt", long("", "a", 65<<20)), "", labeled, 1, "l.txt: line 1 has more than 67108864 bytes"},
	{"labels of another type", of("l.npy", raw(vector(0, 0, 0, 1, 1, 1))), "", "fit " + own + " --labels l.npy", 1, `l.npy: table of type ".npy", want .csv or .edgelist`},
	{"no label file", nil, "", "fit " + own + " --labels none.txt", 1, "none.txt: no such file"},
	{"one class", of("l.txt", long("", "a\n", 6)), "", "fit --edges e.tsv --features x.csv --labels l.txt", 2, "clusters is 1: want 2 or more"},
	{"a class per node", of("l.txt", text("1\n2\n3\n4\n5\n6\n")), "", "fit --edges e.tsv --features x.csv --labels l.txt --pos-start 0.2 --neg-start 0.4", 2, "clusters is 6: want at most 3, half the number of nodes"},
	{"labels wrong, spectrum", of("l.txt", text("a\n")), "", "spectrum --edges e.tsv --features x.csv --labels l.txt", 1, "l.txt: 1 labels: want 6"},
	{"edge wrong, spectrum", of("e.tsv", text("0 9\n")), "", "spectrum --edges e.tsv --features x.csv", 1, `e.tsv:1: node "9", want 0 to 5`},
	{"one node", of("e.tsv", text("0 0\n")).and("x.csv", text("1,2\n")), "", "fit " + own, 2, "e.tsv: the graph's number of nodes is 1: want 3 or more"},
}

// badSpecial are folders, pipes, sockets and devices where a file is wanted.
var badSpecial = []bad{
	{"edges folder", of("d.tsv", folder), "", "fit --edges d.tsv --features x.csv", 1, "d.tsv is a folder: want a regular file"},
	{"features folder", of("d.csv", folder), "", "fit --edges e.tsv --features d.csv", 1, "d.csv is a folder: want a regular file"},
	{"labels folder", of("d.txt", folder), "", "fit " + own + " --labels d.txt", 1, "d.txt is a folder: want a regular file"},
	{"graph folder", of("d.npz", folder), "", "fit --dataset ./d.npz", 1, "d.npz is a folder: want a regular file"},
	{"edges fifo", of("fifo.tsv", fifo), "", "fit --edges fifo.tsv --features x.csv", 1, "fifo.tsv is a pipe: want a regular file"},
	{"features fifo, csv", of("fifo.csv", fifo), "", "fit --edges e.tsv --features fifo.csv", 1, "fifo.csv is a pipe: want a regular file"},
	{"features fifo, npy", of("fifo.npy", fifo), "", "fit --edges e.tsv --features fifo.npy", 1, "fifo.npy is a pipe: want a regular file"},
	{"features fifo, npz", of("fifo.npz", fifo), "", "fit --edges e.tsv --features fifo.npz", 1, "fifo.npz is a pipe: want a regular file"},
	{"labels fifo", of("fifo", fifo), "", "fit " + own + " --labels fifo", 1, "fifo is a pipe: want a regular file"},
	{"graph fifo", of("fifo.npz", fifo), "", "fit --dataset ./fifo.npz", 1, "fifo.npz is a pipe: want a regular file"},
	{"graph fifo, spectrum", of("fifo.npz", fifo), "", "spectrum --dataset ./fifo.npz", 1, "fifo.npz is a pipe: want a regular file"},
	{"link to a fifo", of("fifo", fifo).and("to-fifo.tsv", link("fifo")), "", "fit --edges to-fifo.tsv --features x.csv", 1, "to-fifo.tsv is a pipe: want a regular file"},
	{"edges socket", of("socket", socket), "", "fit --edges socket --features x.csv", 1, "socket is a socket: want a regular file"},
	{"features socket", of("socket.npz", socket), "", "fit --edges e.tsv --features socket.npz", 1, "socket.npz is a socket: want a regular file"},
	{"edges endless", nil, "", "fit --edges /dev/zero --features x.csv", 1, "/dev/zero is a device: want a regular file"},
	{"edges terminal", nil, "", "fit --edges /dev/tty --features x.csv", 1, "/dev/tty is a device: want a regular file"},
	{"labels full device", nil, "", "fit " + own + " --labels /dev/full", 1, "/dev/full is a device: want a regular file"},
	{"edges null", nil, "", "fit " + own + " --edges /dev/null", 1, "/dev/null is a device: want a regular file"},
	{"features link to a device", of("link.csv", link("/dev/zero")), "", "fit --edges e.tsv --features link.csv", 1, "link.csv is a device: want a regular file"},
	{"graph link to a device", of("link.npz", link("/dev/urandom")), "", "fit --dataset ./link.npz", 1, "link.npz is a device: want a regular file"},
	{"link to itself", of("link.csv", link("link.csv")), "", "fit --edges e.tsv --features link.csv", 1, "link.csv: too many levels of symbolic links"},
	{"link to nothing", of("link.csv", link("nothing")), "", "fit --edges e.tsv --features link.csv", 1, "link.csv: no such file"},
	{"edges of memory", nil, "", "fit --edges /proc/self/mem --features x.csv", 1, "/proc/self/mem"},
	{"edges of a process", nil, "", "fit --edges /proc/self/status --features x.csv", 1, "/proc/self/status:1: node … want 0 to 5"},
	{"edges from a pipe", nil, "", "fit " + own + " --edges /dev/stdin", 1, "/dev/stdin is a … want a regular file"},
	{"name of 10 kB", nil, "", "fit --edges " + strings.Repeat("n", 10000) + " --features x.csv", 1, "file name too long"},
	{"path of 100 parts", nil, "", "fit --edges " + strings.Repeat("../none/", 100) + "e.tsv --features x.csv", 1, "no such file"},
}
