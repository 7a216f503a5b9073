package main

import "strings"

// mega is a value of a megabyte, as long as a variable can nearly be.
var mega = strings.Repeat("9", 120000)

// badEnvironment are wrong variables and the files that they name.
var badEnvironment = []bad{
	{"AGEKIT_BACKEND unknown", nil, "AGEKIT_BACKEND=tpu", "fit --backend auto " + tiny, 2, `AGEKIT_BACKEND … unknown backend "tpu": want auto, native`},
	{"AGEKIT_BACKEND long", nil, "AGEKIT_BACKEND=" + mega, "fit --backend auto " + tiny, 2, "AGEKIT_BACKEND … unknown backend … want auto, native"},
	{"AGEKIT_BACKEND a device", nil, "AGEKIT_BACKEND=xla:/dev/zero", "fit --backend auto " + tiny, 2, "AGEKIT_BACKEND … /dev/zero is a device: want a regular file"},
	{"AGEKIT_SIMD unknown", nil, "AGEKIT_SIMD=sse2", "fit " + tiny, 2, `AGEKIT_SIMD: SIMD level "sse2": want`},
	{"AGEKIT_SIMD long", nil, "AGEKIT_SIMD=" + mega, "version", 2, "AGEKIT_SIMD: SIMD level … want"},
	{"AGEKIT_MEMORY in words", nil, "AGEKIT_MEMORY=much", "fit " + tiny, 1, `$AGEKIT_MEMORY is "much": want a number of bytes`},
	{"AGEKIT_MEMORY negative", nil, "AGEKIT_MEMORY=-5GB", "fit " + tiny, 1, `$AGEKIT_MEMORY is "-5GB": want a number of bytes`},
	{"AGEKIT_MEMORY 0", nil, "AGEKIT_MEMORY=0", "fit " + tiny, 1, `$AGEKIT_MEMORY is "0": want a number of bytes`},
	{"AGEKIT_MEMORY NaN", nil, "AGEKIT_MEMORY=NaN", "fit " + tiny, 1, `$AGEKIT_MEMORY is "NaN": want a number of bytes`},
	{"AGEKIT_MEMORY infinite", nil, "AGEKIT_MEMORY=1e400", "fit " + tiny, 1, `$AGEKIT_MEMORY is "1e400": want a number of bytes`},
	{"AGEKIT_MEMORY long", nil, "AGEKIT_MEMORY=" + mega, "fit " + tiny, 1, "$AGEKIT_MEMORY is … want a number of bytes"},
	{"AGEKIT_MEMORY small", nil, "AGEKIT_MEMORY=1kB", "fit " + tiny, 1, "memory, want at most the 1.0 kB that are free"},
	{"AGEKIT_MEMORY small, spectrum", nil, "AGEKIT_MEMORY=1kB", "spectrum " + tiny, 1, "memory, want at most the 1.0 kB that are free"},
	{"AGEKIT_DATA a file", of("data", text("")), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx"},
	{"AGEKIT_DATA a fifo", of("fifo", fifo), "AGEKIT_DATA=fifo", "fit --dataset pubmed", 1, "ind.pubmed.allx"},
	{"AGEKIT_DATA a device", nil, "AGEKIT_DATA=/dev/zero", "fit --dataset pubmed", 1, "ind.pubmed.allx"},
	{"AGEKIT_DATA long", nil, "AGEKIT_DATA=/" + mega, "data verify pubmed", 1, "1 of 1 data sets are incomplete"},
	{"data set file a fifo", of("data/ind.pubmed.allx", fifo), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx is a pipe: want a regular file"},
	{"data set file a folder", of("data/ind.pubmed.allx", folder), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx is a folder: want a regular file"},
	{"data set file a device", of("data/ind.pubmed.allx", link("/dev/zero")), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx is a device: want a regular file"},
	{"data set file of 40 GB", of("data/ind.pubmed.allx", sparse(nil, 40e9)), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx has 40000000000 bytes, want 7578385"},
	{"data set file short", of("data/ind.pubmed.allx", text("PK")), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx has 2 bytes, want 7578385"},
	{"data set file changed", of("data/ind.pubmed.allx", sparse(nil, 7578385)), "AGEKIT_DATA=data", "fit --dataset pubmed", 1, "ind.pubmed.allx … SHA-256 is … want"},
	{"data set file of Cora short", of("data/cora/ind.cora.tx", text("\x80\x02")), "", "fit --dataset cora --data data", 1, "ind.cora.tx has 2 bytes, want … not used"},
	{"data set file of Cora foreign", of("data/cora/ind.cora.tx", long("cos\nsystem\n(S'touch ran'\ntR.", " ", 148025-28)), "", "fit --dataset cora --data data", 1, "ind.cora.tx SHA-256 is … not used"},
	{"data set file of Cora a fifo", of("data/cora/ind.cora.tx", fifo), "", "fit --dataset cora --data data", 1, "ind.cora.tx is a pipe: want a regular file"},
	{"--data a file", of("data", text("")), "AGEKIT_DATA=", "data verify pubmed --data data", 1, "1 of 1 data sets are incomplete"},
	{"no home", nil, "HOME= XDG_CACHE_HOME= AGEKIT_STORE=", "data fetch wiki", 1, "1 of 1 data sets are incomplete"},
	{"server not there", nil, "", "data fetch wiki", 1, "1 of 1 data sets are incomplete"},
	{"server not there, fit", nil, "", "fit --dataset wiki", 1, "wiki … 3 files cannot be used … connection refused"},
	{"no python, cpu", nil, "", "backend install cpu", 1, "python3 is needed … PATH"},
	{"no python, cuda13", nil, "", "backend install cuda13", 1, "python3 is needed … PATH"},
	{"no home, install", nil, "HOME= XDG_CACHE_HOME=", "backend install cpu", 1, "HOME"},
}

const outTo = "fit " + tiny + " --out "

// badOutputs are places that cannot be written to. They are found before the
// training.
var badOutputs = []bad{
	{"out a file", of("file", text("x")), "", outTo + "file", 1, "--out: … file … not a directory"},
	{"out below a file", of("file", text("x")), "", outTo + "file/below", 1, "--out: … file … not a directory"},
	{"out a fifo", of("fifo", fifo), "", outTo + "fifo", 1, "--out: … fifo … not a directory"},
	{"out a socket", of("socket", socket), "", outTo + "socket", 1, "--out: … socket … not a directory"},
	{"out the null device", nil, "", outTo + "/dev/null", 1, "--out: … /dev/null … not a directory"},
	{"out below a device", nil, "", outTo + "/dev/zero/out", 1, "--out: … /dev/zero … not a directory"},
	{"out in a system folder", nil, "", outTo + "/proc/self/out", 1, "--out: … /proc/self/out"},
	{"out a link to nothing", of("link", link("nothing")), "", outTo + "link", 1, "--out: … link"},
	{"out a link to itself", of("link", link("link")), "", outTo + "link", 1, "--out: … link"},
	{"out long", nil, "", outTo + strings.Repeat("n", 300), 1, "--out: … file name too long"},
	{"out very long", nil, "", outTo + strings.Repeat("n", 10000), 1, "--out: … file name too long"},
	{"embeddings a folder", of("o/embeddings.npy", folder), "", outTo + "o", 1, "--out: … embeddings.npy is a folder: want"},
	{"labels a folder", of("o/labels.txt", folder), "", outTo + "o", 1, "--out: … labels.txt is a folder: want"},
	{"model a folder", of("o/model.npz/x", folder), "", outTo + "o", 1, "--out: … model.npz is a folder: want"},
	{"log a folder", of("o/log.txt", folder), "", outTo + "o", 1, "--out: … log.txt is a folder: want"},
	{"labels a link", of("o/labels.txt", link("../l.txt")), "", outTo + "o", 1, "--out: … labels.txt is a symbolic link: want"},
	{"labels a link to nothing", of("o/labels.txt", link("nothing")), "", outTo + "o", 1, "--out: … labels.txt is a symbolic link: want"},
	{"labels a link to a device", of("o/labels.txt", link("/dev/full")), "", outTo + "o", 1, "--out: … labels.txt is a symbolic link: want"},
	{"model a fifo", of("o/model.npz", fifo), "", outTo + "o", 1, "--out: … model.npz is a pipe: want"},
	{"log a socket", of("o/log.txt", socket), "", outTo + "o", 1, "--out: … log.txt is a socket: want"},
	{"labels a folder, best", of("o/labels.txt", folder), "", outTo + "o --best", 1, "--out: … labels.txt is a folder: want"},

	{"report into another kind of file", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb --out n.pdf", 2, "n.pdf: want a name that ends with .html"},
	{"report over a folder", inProject("n.ipynb", text(emptyNotebook)).and("n.html", folder), "", "report n.ipynb", 1, "n.html is a folder: want"},
	{"report over a link", inProject("n.ipynb", text(emptyNotebook)).and("n.html", link("n.ipynb")), "", "report n.ipynb", 1, "n.html is a symbolic link: want"},
	{"report over a fifo, slides", inProject("n.ipynb", text(emptyNotebook)).and("n.slides.html", fifo), "", "report n.ipynb --slides", 1, "n.slides.html is a pipe: want"},
	{"report below a file", inProject("n.ipynb", text(emptyNotebook)).and("file", text("")), "", "report n.ipynb --out file/n.html", 1, "--out … file is no folder"},
	{"report below nothing", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb --out none/n.html", 1, "--out … none is no folder"},
	{"report long", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb --out " + strings.Repeat("n", 300) + ".html", 1, "file name too long"},

	{"reproduce into a file", of("file", text("")), "", "reproduce table1 --datasets planted:n=60 --out file", 1, "file"},
	{"reproduce over a folder", of("o/results.jsonl", folder), "", "reproduce table1 --datasets planted:n=60 --out o", 1, "results.jsonl is a folder: want"},
	{"reproduce over a fifo", of("o/results.jsonl", fifo), "", "reproduce table1 --datasets planted:n=60 --out o", 1, "results.jsonl is a pipe: want"},
	{"stored over a fifo", of("o/results.jsonl", fifo), "", "reproduce table1 --stored --out o", 1, "results.jsonl is a pipe: want"},
	{"kernel prefix a file", of("file", text("")), "", "kernel remove --prefix file/none", 1, "file"},
}
