package main

import "github.com/alecthomas/kong"

// addDetails gives each command the second part of its help.
func addDetails(k *kong.Kong) error {
	return kong.Visit(k.Model, func(v kong.Visitable, next kong.Next) error {
		if n, ok := v.(*kong.Node); ok {
			n.Detail = details[n.Path()]
		}
		return next(nil)
	})
}

// details are the second parts of the commands' help.
var details = map[string]string{
	"fit": `Trains the encoder, clusters the embeddings, chooses the epoch by the Davies–Bouldin index and scores it. Labels are used only for the scores. If a run is stopped, run the same command again to resume from its last checkpoint.

Examples:
  agekit fit --dataset cora
  agekit fit --dataset cora --best
  agekit fit --dataset cora --method NS4GC
  agekit fit --dataset wiki --loss logits --scaling degree --seed 2 --json
  agekit fit --edges edges.tsv --features features.npz --clusters 12 --out run1
  agekit fit --edges friends.csv --nodes people.csv --label team --text about --out run2
  agekit fit --edges friends.csv --nodes people.csv --clusters 4..12
  agekit fit --dataset cora --k auto --layers 4 --backend xla:cpu`,

	"predict": `Finds the clusters of nodes that were not there in the training: their columns become features in the same way, which are smoothed over their edges into the old graph and encoded; the cluster is that of the nearest center. Without ids, as after a training from --features or a data set, nodes are numbered from 0, the old ones first. The old nodes keep their clusters. The confidence is (b − a)/max(a, b) for the distances a to the nearest center and b to the second, 1 − cosine: near 1 in the middle of a cluster, 0 between two.

Examples:
  agekit predict --model run1/model.npz --nodes new.csv --edges new-edges.csv
  agekit predict --model run1/model.npz --nodes other.csv --edges other-edges.csv --alone --out clusters.parquet
  agekit predict --model run2/model.npz --features new.npy --edges new-edges.csv`,

	"embed": `Embeds nodes that were not there in the training, as agekit predict does.

Examples:
  agekit embed --model run1/model.npz --nodes new.csv --edges new-edges.csv --out new.npy`,

	"reproduce": `The tables show the mean ± standard deviation and the best over seeds, the paper's value, and the difference. Results are stored in OUT/results.jsonl, one line per run. Stored runs are not executed again, so a command that was stopped, or that is run again with more seeds, resumes where it stopped. Labels are used only for the scores.

Modes: paper follows the paper's text, and the published code where that is silent; code follows the published code to the letter; best uses what gives the best clusters without labels (docs/best-mode.md). These are AGE's. The other methods run the same race: the whole graph, no choice by labels, the same clustering (fair); published adds a row for those whose own public code has another protocol.

Examples:
  agekit reproduce all --quick
  agekit reproduce table3 --datasets cora,citeseer --methods AGE,LS --mode paper,code
  agekit reproduce fig5 --seeds 3 --parallel 2
  agekit reproduce all --stored --report docs/reproduction.md`,

	"spectrum": `Reports λmax and the distribution of the eigenvalues of the renormalized Laplacian: all eigenvalues for graphs of up to 5,000 nodes, and an estimate with its standard error for larger ones.

Examples:
  agekit spectrum --dataset cora
  agekit spectrum --dataset planted:n=100000 --json`,

	"data list": `Examples:
  agekit data list
  agekit data list --json`,

	"data fetch": `Files go to the user's cache directory; an interrupted download resumes where it stopped.

Examples:
  agekit data fetch
  agekit data fetch citeseer wiki`,

	"data verify": `Examples:
  agekit data verify
  agekit data verify cora --data ~/graphs --json`,

	"doctor": `Each line is ok, note (it works, and could be better) or missing (something does not
work without it), with what to do about it. The exit code is 1 when anything is
missing. Nothing is changed or fetched.

Examples:
  agekit doctor
  agekit doctor --json`,

	"bench": `Measures each job from start to end in a separate process, and right after it one dense product of Cora's size (GoMLX, xla:cpu if its plugin is installed, else go), so that machines can be compared.

Jobs:
  cora, wiki, …              "agekit fit" on a data set
  planted-N                  "agekit fit" on a planted graph of N nodes, 7 edges per node, 128 features
  cora-onestep               the same with one step per epoch, on all pairs
  eigenvalues-cora           "agekit spectrum": all eigenvalues
  density-N, density-pubmed  "agekit spectrum": density of states, above 5,000 nodes
  cora@20                    20 epochs instead of --epochs

Examples:
  agekit bench --jobs cora,citeseer,wiki --data ~/graphs
  agekit bench --jobs planted-42500@20,planted-85000@20,planted-170000@20 --out jobs.json
  agekit bench report jobs.json --dir docs/bench
  agekit bench stages`,

	"bench report": `Writes the tables of all measured jobs. If planted graphs of at least two sizes were measured with the same settings on one machine, it also writes a figure of time and memory over the number of nodes.

Examples:
  agekit bench report bench/jobs.json
  agekit bench report jobs.json --dir report`,

	"bench stages": `Measures each stage alone, on the native backend with the paper's settings. Prints as Markdown the fewest operations and bytes that the stage needs, the time that the machine would take for them, and how many times longer the stage takes. Run nothing else meanwhile. With several levels, a second table has each stage's time at each level.

Examples:
  agekit bench stages --levels avx512,avx2,go > docs/bench/stages.md
  agekit bench stages --datasets planted-100000`,

	"bench product": `Examples:
  agekit bench product
  agekit bench product --backend xla:cuda`,

	"kernel install": `Cells use the module in the project's folder, so keep that folder. Inside it,
no installation is needed: with JUPYTER_PATH=$PWD, Jupyter finds the kernels.

Examples:
  agekit kernel install
  agekit kernel install --prefix .venv`,

	"kernel list": `Searches $JUPYTER_PATH, the user's Jupyter, the active virtual environment and the
system's folders.

Examples:
  agekit kernel list
  JUPYTER_PATH=$PWD agekit kernel list --json`,

	"kernel remove": `Examples:
  agekit kernel remove
  agekit kernel remove --prefix .venv`,

	"backend list": `Examples:
  agekit backend list
  agekit backend list --json`,

	"backend install": `pip downloads the plugin at a pinned version and checks its hash. If the plugin is
already installed, nothing is downloaded.

  cpu     XLA on the CPU: 64 MB to download, 260 MB on disk
  cuda13  XLA on an NVIDIA GPU with a driver for CUDA 13: 2.9 GB on disk

Examples:
  agekit backend install cpu
  agekit backend install cuda13`,

	"walkthrough": `Runs each notebook from top to bottom in its own kernel and writes
OUT/NAME.html, a page that needs no network, OUT/NAME.ipynb, and OUT/index.html,
which lists the pages. Two notebooks run at a time if the machine has two cores
and 6 GiB of free memory. The notebooks themselves stay unchanged unless --update
is given. A failing cell ends its notebook, and the exit code is 1. A shell
command (!command) that fails does not fail its cell. Run this in the project's
folder; make walkthrough installs what it needs.

With --slides, slides begin where the notebook's metadata says so (JupyterLab:
property inspector, Slide Type), or, if it says nothing, at each ## heading. In
the slides, S opens a window with the speaker notes, O shows all slides, and
? lists the keys. The browser's print command makes handouts of them; printed
from the window with the notes, they have the notes too.

The code of cells that are tagged hide-input, or hidden in JupyterLab, is folded.

Examples:
  agekit walkthrough
  agekit walkthrough --slides --notebooks 02
  agekit walkthrough --notebooks 03 --kernel agekit-xla --backend xla:cpu
  agekit walkthrough --update --out /tmp/reports`,

	"report": `Of a folder of agekit fit --out, writes a page with a map of the nodes, the clusters and
what sets them apart, how the settings were chosen, the training and the settings. It is
one HTML file that needs no network.

Of a notebook, writes its outputs as such a page. What it shows is as in the reports of
agekit walkthrough, whose --help says where slides begin. Run this in the project's folder,
after make jupyter.

--pdf needs Chromium, Chrome or Edge; AGEKIT_CHROMIUM names one that is not found.

Examples:
  agekit report run1
  agekit report my.ipynb
  agekit report my.ipynb --run --pdf
  agekit report notebooks/02_eigenvalues.ipynb --slides --out /tmp/02.html`,

	"version": `Prints one line with what a bug report needs. The version is the module's. A build from a
working copy has a pseudo-version of its commit, which ends in +dirty if files were changed;
the commit itself follows.

Examples:
  agekit version
  agekit version --json`,
}
