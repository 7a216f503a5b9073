package main

import "strings"

const reproduceTiny = "reproduce table1 --datasets planted:n=60 --methods LS --quick --out o "

// emptyNotebook is a notebook without cells.
const emptyNotebook = `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []}`

// inProject makes the current folder the project's, with one more file.
func inProject(name string, m maker) badFiles {
	return of("go.mod", text("module github.com/agekit/age\n")).and(name, m)
}

// badCommands are wrong arguments of the other commands.
var badCommands = []bad{
	{"no command", nil, "", "--json", 2, "unknown flag --json"},
	{"unknown command", nil, "", "nonsense", 2, "nonsense"},
	{"command of 100 kB", nil, "", strings.Repeat("x", 100000), 2, "unexpected argument"},
	{"half a command", nil, "", "backend --json", 2, "unknown flag --json"},
	{"argument of version", nil, "", "version now", 2, "unexpected argument now"},
	{"argument of doctor", nil, "", "doctor --fix", 2, "unknown flag --fix"},

	{"unknown plugin", nil, "", "backend install rocm", 2, `unknown plugin "rocm": want cpu or cuda13`},
	{"plugin of 100 kB", nil, "", "backend install " + strings.Repeat("x", 100000), 2, "unknown plugin … want cpu or cuda13"},
	{"plugin as a path", nil, "", "backend install ../../cpu", 2, `unknown plugin "../../cpu": want cpu or cuda13`},
	{"no plugin named", nil, "", "backend install", 2, "<plugin>"},
	{"flag of backend list", nil, "", "backend list --no-such-flag", 2, "unknown flag --no-such-flag"},

	{"verify unknown", nil, "", "data verify coral", 1, "1 of 1 data sets are incomplete"},
	{"fetch unknown", nil, "", "data fetch coral", 1, "1 of 1 data sets are incomplete"},
	{"fetch a path", nil, "", "data fetch ../../cora", 1, "1 of 1 data sets are incomplete"},
	{"verify missing", nil, "AGEKIT_DATA=", "data verify wiki", 1, "1 of 1 data sets are incomplete"},
	{"verify damaged", of("wiki/group.txt", text("damaged")), "", "data verify wiki --data .", 1, "1 of 1 data sets are incomplete"},
	{"verify a fifo", of("wiki/group.txt", fifo), "", "data verify wiki --data .", 1, "1 of 1 data sets are incomplete"},
	{"flag of data list", nil, "", "data list --all", 2, "unknown flag --all"},

	{"kernel of another project", nil, "", "kernel install --root /", 2, "project's folder"},
	{"kernel root a file", nil, "", "kernel install --root e.tsv", 2, "project's folder"},
	{"kernel in two places", nil, "", "kernel install --user --prefix p", 2, "--prefix"},
	{"go.mod a fifo", of("go.mod", fifo), "", "kernel install", 2, "project's folder"},
	{"go.mod of another module", of("go.mod", text("module example.com/other\n")), "", "kernel install", 2, "project's folder"},
	{"go.mod a fifo, walkthrough", of("go.mod", fifo), "", "walkthrough", 2, "project's folder"},

	{"walkthrough elsewhere", nil, "", "walkthrough", 2, "project's folder"},
	{"walkthrough without notebooks", of("go.mod", text("module github.com/agekit/age\n")), "", "walkthrough --dir .", 2, "no notebooks"},
	{"walkthrough unknown notebook", of("go.mod", text("module github.com/agekit/age\n")).and("01.ipynb", text("{}")), "", "walkthrough --dir . --notebooks 7", 2, `begins with "7"`},
	{"walkthrough unknown kernel", nil, "", "walkthrough --kernel python3", 2, `--kernel … "agekit","agekit-xla" … python3`},
	{"walkthrough without Jupyter", of("go.mod", text("module github.com/agekit/age\n")).and("01.ipynb", text("{}")), "", "walkthrough --dir .", 1, "no Jupyter … make jupyter"},
	{"walkthrough timeout", nil, "", "walkthrough --timeout never", 2, "--timeout … never"},
	{"walkthrough negative timeout", of("go.mod", text("module github.com/agekit/age\n")).and("01.ipynb", text("{}")), "", "walkthrough --dir . --timeout=-5s", 2, "--timeout is -5s: want"},

	{"report elsewhere", of("n.ipynb", text(emptyNotebook)), "", "report n.ipynb", 2, "project's folder"},
	{"report of nothing", nil, "", "report", 2, "<notebook>"},
	{"report timeout", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb --timeout=-5s", 2, "--timeout is -5s: want"},
	{"report of a missing file", inProject("a", text("")), "", "report none.ipynb", 1, "none.ipynb: no such file"},
	{"report of a missing folder", nil, "", "report none", 1, "none does not exist: want a folder of agekit fit --out, or a notebook"},
	{"report of a folder", inProject("n.ipynb", folder), "", "report n.ipynb", 1, "run.json does not exist: want the folder of a run"},
	{"report of a fifo", inProject("n.ipynb", fifo), "", "report n.ipynb", 1, "n.ipynb is a pipe: want a regular file"},
	{"report of a device", inProject("n.ipynb", link("/dev/zero")), "", "report n.ipynb", 1, "n.ipynb is a device: want a regular file"},
	{"report of 40 GB", inProject("n.ipynb", sparse(nil, 40e9)), "", "report n.ipynb", 1, "n.ipynb: 40000000000 bytes, want at most 104857600"},
	{"report of prose", inProject("n.ipynb", text("Dear reader,\n")), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want JSON with nbformat"},
	{"report of other JSON", inProject("n.ipynb", text(`{"jobs": [{"job": "j"}]}`)), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want"},
	{"report of a list of cells", inProject("n.ipynb", text("[]")), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want"},
	{"report of cells in words", inProject("n.ipynb", text(`{"nbformat": 4, "cells": "none"}`)), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want"},
	{"report nested", inProject("n.ipynb", long(`{"nbformat": 4, "cells": `, "[", 1<<20)), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want"},
	{"report in UTF-16", inProject("n.ipynb", utf16Text(emptyNotebook)), "", "report n.ipynb", 1, "n.ipynb is not a notebook: want"},
	{"report of a later format", inProject("n.ipynb", text(`{"nbformat": 5, "cells": []}`)), "", "report n.ipynb", 1, "n.ipynb: nbformat 5, want 4 or older"},
	{"report of a run without a kernel", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb --run", 1, "n.ipynb names no kernel"},
	{"report without Jupyter", inProject("n.ipynb", text(emptyNotebook)), "", "report n.ipynb", 1, "no Jupyter … make jupyter"},

	{"reproduce nothing", nil, "", "reproduce", 2, "<item>"},
	{"reproduce unknown", nil, "", "reproduce table9", 2, `"table1" … table9`},
	{"reproduce unknown mode", nil, "", "reproduce table2 --mode fast", 2, `"paper","code","best" … fast`},
	{"reproduce unknown method", nil, "", "reproduce table2 --methods agx", 2, `unknown method "agx": want names from … LS+RA`},
	{"reproduce method of 20 kB", nil, "", "reproduce table2 --methods " + strings.Repeat("x", 20000), 2, "unknown method … want names from"},
	{"reproduce no seeds", nil, "", reproduceTiny + "--seeds 0", 2, "--seeds is 0: want 1 to 10000"},
	{"reproduce seeds negative", nil, "", reproduceTiny + "--seeds=-1", 2, "--seeds is -1: want 1 to 10000"},
	{"reproduce seeds 2⁶²", nil, "", "reproduce table2 --datasets planted:n=60 --methods AGE --out o --seeds 4611686018427387904", 2, "--seeds is 4611686018427387904: want"},
	{"reproduce parallel 0", nil, "", reproduceTiny + "--parallel 0", 2, "--parallel is 0: want 1 to 10000"},
	{"reproduce unknown backend", nil, "", reproduceTiny + "--backend tpu", 2, `unknown backend "tpu": want`},
	{"reproduce nothing of it", nil, "", "reproduce table4 --datasets wiki --out o", 2, "nothing to run"},
	{"reproduce unknown data set", nil, "", "reproduce table1 --datasets nowhere --out o", 1, "nowhere"},
	{"reproduce planted n 0", nil, "", "reproduce table1 --datasets planted:n=0 --methods LS --out o", 1, `parameter "n=0": want more than 0`},
	{"reproduce a fifo", of("fifo.npz", fifo), "", "reproduce table1 --datasets ./fifo.npz --methods LS --out o", 1, "fifo.npz is a pipe: want a regular file"},
	{"reproduce empty names", nil, "", "reproduce table1 --datasets , --out o", 2, "--datasets"},
}

// again is a command that adds to o/results.jsonl. A foreign file of that name
// must stay as it is.
const again = reproduceTiny + "--seeds 1"

// badRecords are wrong files of results.
var badRecords = []bad{
	{"results of another program", of("o/results.jsonl", text("{\"mine\": 1}\n{\"mine\": 2}\n")), "", again, 1, "results.jsonl … want"},
	{"results of another program, one line", of("o/results.jsonl", text("important notes, never to be lost")), "", again, 1, "results.jsonl … want"},
	{"results of text", of("o/results.jsonl", text("hello\nworld\n")), "", again, 1, "results.jsonl … want"},
	{"results of garbage", of("o/results.jsonl", long("", "\xff\x00garbage", 1<<20)), "", again, 1, "results.jsonl … want"},
	{"results of NULs", of("o/results.jsonl", long("", "\x00", 300000)), "", again, 1, "results.jsonl … want"},
	{"results in UTF-16", of("o/results.jsonl", utf16Text("{\"hash\": \"\"}\n")), "", again, 1, "results.jsonl … want"},
	{"results of 40 GB", of("o/results.jsonl", sparse(nil, 40e9)), "", again, 1, "results.jsonl … bytes, want at most 268435456"},
	{"results of a list", of("o/results.jsonl", text("[1]\n")), "", again, 1, "results.jsonl … want"},
	{"stored of text", of("o/results.jsonl", text("hello\nworld\n")), "", again + " --stored", 1, "results.jsonl … want"},
	{"stored of another program", of("o/results.jsonl", text("{\"mine\": 1}\n")), "", again + " --stored", 1, "results.jsonl … want"},
}
