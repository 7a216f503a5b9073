# make walkthrough   install what is missing (260 MB), run the notebooks, write reports/*.html: 12 minutes on 2 cores
# make test          all tests (downloads 100 MB): 15 to 20 minutes; make test-long runs the long ones too
# make solutions     runs the solved exercises, into reports/solutions; after make walkthrough build
# make lab           JupyterLab with the kernels
# make site          pages that run agekit in a browser, in reports/site
# make site-test     uses the site in Chromium; browser-test does, too
# make browser-test  opens the notebooks in JupyterLab in Chromium and counts pictures
# make image-test    builds the Docker image, runs a notebook and the lab in it, writes an SBOM
# make image-digest  the digest of the image that it is based on, from the registry
# make python-test   builds the Python package, installs it into .venv-python and tests it
# make wheels        builds the Python package for Linux, macOS and Windows into python/dist
# make spark-test    runs on a cluster of Apache Spark on this machine, which it downloads (435 MB)
# make test-arm64    tests of the NEON kernels, emulated on other processors
# make cross         builds for Linux, macOS and Windows on amd64 and arm64
# make asm           writes internal/simd's assembly for amd64 again
# make class-kit     a folder for a stick, from which a class installs without a network
# make gpu-bundle    everything needed to test and measure on a GPU (docs/gpu.md); needs AGEKIT_DATA
# make release       archives, wheels, SBOMs, site and GPU bundle, if it can, in .bin/release; uploads nothing
# make reproducible  builds the program twice for each system and compares the bytes
# make vulnerabilities  known ones in what the program calls (govulncheck)
# make third-party   lists what others made, with licenses, in THIRD_PARTY.md
# make torture       kills, full disks, flipped bits, two at once and damaged input; HOURS=1 SEED=7
# make fuzz          every fuzz test in turn; MINUTES=1 TARGET=FuzzOpen
# make lint bench clean
# make golden        recompute the tests' golden figures in Python; needs AGEKIT_DATA
#
# Needs Go 1.26, gcc, Python 3.10 or later with venv, git and make. Installs only
# into .bin and .venv here, Go's caches and the user's cache directory.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
# With it, cd could lead elsewhere.
unexport CDPATH
# GoMLX's go backend is faster with it. Our own kernels need no flag.
export GOEXPERIMENT := simd
# make calls itself, so the project's folder may be on the path already.
export JUPYTER_PATH := $(if $(findstring $(CURDIR),$(value JUPYTER_PATH)),,$(CURDIR)$(if $(value JUPYTER_PATH),:))$(value JUPYTER_PATH)

# Paths are relative, or variables of the shell in quotes: the project's own path
# may contain spaces and characters that mean something to make or the shell.
# "agekit version" names the commit if git works; without git, go build would fail.
VCS := $(shell git status --porcelain >/dev/null 2>&1 && echo true || echo false)
# In a linked worktree Go does not find it, so it is told.
STAMP := $(if $(wildcard .git/.),,$(shell git describe --always --abbrev=40 --exclude='*' --dirty 2>/dev/null | sed -n 's/^[0-9a-f]\{40\}\(-dirty\)\{0,1\}$$/-ldflags=-X=github.com\/agekit\/age\/internal\/system.commit=&/p'))
LAB_FLAGS ?=
BENCH ?= .
BENCH_COUNT ?= 6
BENCH_JOBS ?= cora planted-10000@20

ASM_FILES := kernels_amd64.s kernels_amd64.go
ASM := -out kernels_amd64.s -stubs kernels_amd64.go -pkg simd

# Notebooks run with the kernel agekit: without cgo, XLA and completion. The program
# that runs them is built alike, so that both share what Go compiles.
PLAIN := CGO_ENABLED=0 go build -buildvcs=false -tags noxla

.PHONY: class-kit walkthrough solutions site site-test test test-long python-test spark-test wheels test-arm64 cross lab browser-test image-test image-digest lint asm bench gpu-bundle clean build tools jupyter warm warm-plain modules tool-modules

# pip and Go download and install at the same time.
walkthrough:
	@$(MAKE) -j4 jupyter .bin/.kernel
	.bin/plain/agekit walkthrough

solutions:
	.bin/agekit walkthrough --dir solutions --out reports/solutions

# Jupyter shows sharp figures and sliders only in notebooks that it trusts. It
# still works, with images, where the record of trust cannot be written.
lab: build tools jupyter warm
	-.venv/bin/python -I -m nbformat.sign notebooks/[0-9][0-9]_*.ipynb
	.venv/bin/python -I -m jupyterlab --notebook-dir=notebooks $(LAB_FLAGS)

# Installs Playwright, and Chromium if there is none. NOTEBOOKS names others than
# the project's, such as reports/*.ipynb.
browser-test: build tools jupyter warm site
	scripts/browser-test.sh $(NOTEBOOKS)

# The pages need no server: reports/site can be copied to a stick. Where a browser runs
# no programs from files: .bin/agekit site serve. What Go has compiled, it does not compile
# again; .cache keeps Cora's first map.
site:
	@mkdir -p .cache
	GOEXPERIMENT= GOOS=js GOARCH=wasm CGO_ENABLED=0 go build -buildvcs=false -trimpath -tags noxla -ldflags '-s -w' -o .cache/agekit.wasm ./site/program
	@CGO_ENABLED=0 go run -buildvcs=false -tags noxla ./site/build --program .cache/agekit.wasm --out reports/site --kept .cache/site-map

site-test: site
	scripts/browser-test.sh --site

python-test:
	scripts/python-test.sh

# WHEELS names some, such as linux/arm64.
wheels:
	scripts/wheels.sh $(WHEELS)

# IMAGE_FLAGS goes to docker build, such as --build-arg NB_USER=jovyan.
image-test: .venv-sbom/.installed
	scripts/image-test.sh $(IMAGE_FLAGS)

# Prints the digest that the base image's tag has now: another one than the Dockerfile
# says when Debian has mended something. Put it there, then run image-test.
image-digest:
	@docker buildx imagetools inspect "$$(sed -n 's/^FROM \(golang:[^@]*\).*/\1/p' Dockerfile)" --format '{{.Manifest.Digest}}'

test: build
	scripts/test.sh

test-long: export AGEKIT_LONG = 1
test-long: test

spark-test: build
	scripts/spark-test.sh

# On a processor of another kind QEMU runs the tests; of clustering, which takes
# long there, those of its products.
ARM64 = $(filter arm64,$(shell go env GOHOSTARCH))
# Those of laplacian on the filter, without those on eigenvalues, which use no kernels.
FILTER_TESTS = Smooth|Filter|Rayleigh|Extended|Amplitude|Unit|WithoutEdges|Tile|Levels|TestInterrupt$$
TEST_ARM64 = GOARCH=arm64 CGO_ENABLED=0 go test $(if $(ARM64),,-exec qemu-aarch64)
test-arm64:
	@if [ -z "$(ARM64)" ] && ! command -v qemu-aarch64 >/dev/null; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update && apt-get install -y qemu-user; \
	  else \
	    echo "make test-arm64 needs qemu-aarch64: install QEMU's user mode (on Debian: qemu-user)"; exit 1; \
	  fi; \
	fi
	$(TEST_ARM64) -skip NoMixedSSE ./internal/simd
	$(TEST_ARM64) -short -run '$(FILTER_TESTS)' -skip SmoothRefuses ./agekit/laplacian
	$(TEST_ARM64) -run Products ./internal/linalg

# Everything builds with no flag and without cgo; go build links the programs, too.
CROSS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
cross:
	@for system in $(CROSS); do \
	  echo "go build for $$system"; export GOOS=$${system%/*} GOARCH=$${system#*/}; \
	  GOEXPERIMENT= CGO_ENABLED=0 go build ./...; \
	done
	CROSS="$(CROSS)" scripts/outside.sh

lint: .bin/.lint .bin/asm .bin/thirdparty
	@unformatted=$$(gofmt -l agekit cmd internal kernels scripts site tools); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	@root=$$PWD; fresh=$$(mktemp -d); trap 'rm -rf "$$fresh"' EXIT; cd "$$fresh"; "$$root/.bin/asm" $(ASM); \
	for f in $(ASM_FILES); do \
	  diff -u "$$root/internal/simd/$$f" $$f || { echo "internal/simd/$$f is not what tools/asm writes: make asm"; exit 1; }; \
	done
	go vet ./...
	cd tools/asm && go vet ./...
	cd tools && go vet ./gonb && go test ./gonb
	.bin/staticcheck ./...
	@.bin/thirdparty | diff -u THIRD_PARTY.md - || { echo "THIRD_PARTY.md is not what the modules have: make third-party"; exit 1; }

# Compares the committed figures with numpy's, scipy's and scikit-learn's.
.PHONY: golden
golden: .venv-golden/.installed
	.venv-golden/bin/python -I scripts/golden.py --check agekit

.venv-golden/.installed: scripts/golden-requirements.txt
	python3 -I -m venv --clear .venv-golden
	.venv-golden/bin/python -I -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

asm: .bin/asm
	cd internal/simd && ../../.bin/asm $(ASM)

.bin/asm: $(wildcard tools/asm/*)
	cd tools/asm && go build -buildvcs=false -o ../../$@ .

# Benchmarks of every stage at three sizes, named Stage/size/backend, compared with
# the previous run if there is one, some also with what the machine could do ("floors");
# then the whole jobs of BENCH_JOBS (scripts/jobs.py), as a table in bench/jobs.md.
bench: build .bin/.lint
	@mkdir -p bench; if [ -f bench/new.txt ]; then mv bench/new.txt bench/old.txt; fi
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(BENCH_COUNT) -timeout 2h ./... | tee bench/new.txt
	.bin/benchstat $$(ls bench/old.txt 2>/dev/null || true) bench/new.txt
	python3 -I scripts/jobs.py $(BENCH_JOBS) --out bench/jobs.json | tee bench/jobs.md

.PHONY: torture fuzz
torture: build
	python3 -I scripts/torture.py --hours $(or $(HOURS),1) $(if $(SEED),--seed $(SEED))

fuzz:
	scripts/fuzz.sh $(or $(MINUTES),1) $(if $(TARGET),'$(TARGET)')

.PHONY: release reproducible vulnerabilities third-party
release:
	scripts/release.sh $(VERSION)

reproducible:
	scripts/reproducible.sh

vulnerabilities: .bin/.release
	scripts/vulnerabilities.sh

third-party: .bin/thirdparty
	.bin/thirdparty >THIRD_PARTY.new && mv THIRD_PARTY.new THIRD_PARTY.md

.bin/thirdparty: tools/release/go.mod tools/release/thirdparty/main.go
	cd tools/release && CGO_ENABLED=0 go build -buildvcs=false -o "$$OLDPWD/$@" ./thirdparty

.bin/.release: tools/release/go.mod .venv-sbom/.installed
	cd tools/release && CGO_ENABLED=0 GOBIN="$$OLDPWD/.bin" go install tool
	@touch $@

.venv-sbom/.installed: scripts/sbom-requirements.txt
	python3 -I -m venv --clear .venv-sbom
	.venv-sbom/bin/python -I -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r scripts/sbom-requirements.txt
	@touch $@

gpu-bundle:
	@scripts/gpu-bundle.sh

class-kit:
	@scripts/class-kit.sh

clean:
	rm -rf dist .bin .spark .cache/agekit.wasm .cache/site-map .venv .venv-sbom .venv-golden .venv-browser .venv-python python/build python/dist python/*.egg-info reports bench

build:
	@mkdir -p .bin
	go build -buildvcs=$(VCS) $(STAMP) -o .bin/agekit ./cmd/agekit

# The notebook kernel and the tools it needs. They need no cgo.
tools: .bin/.tools
.bin/.tools: tools/go.mod tools/go.sum $(wildcard tools/gonb/*.go)
	cd tools && CGO_ENABLED=0 GOBIN="$$OLDPWD/.bin" go install tool
	@touch $@

# The same without gopls, which only completes what is typed. It is compiled last: at
# the same time, Go would compile the same packages twice.
.bin/.kernel: tools/go.mod tools/go.sum $(wildcard tools/gonb/*.go) | warm-plain tool-modules
	cd tools && CGO_ENABLED=0 GOBIN="$$OLDPWD/.bin" go install $(KERNEL_TOOLS)
	@touch $@

KERNEL_TOOLS := ./gonb golang.org/x/tools/cmd/goimports
# The second line downloads the go.mod files of all modules, without which `go doc` finds no
# package in cells.
modules:
	go mod download
	@go list -m all >/dev/null
tool-modules:
	@cd tools && CGO_ENABLED=0 go list -deps $(KERNEL_TOOLS) >/dev/null

.bin/.lint: tools/lint/go.mod tools/lint/go.sum
	cd tools/lint && GOBIN="$$OLDPWD/.bin" go install tool
	@touch $@

jupyter:
	@scripts/jupyter.sh

# Compiles the packages that cells import, with the build tags of the kernel agekit;
# otherwise the first cell would take a minute. Cells download nothing, and Go needs
# every module of go.mod, even those for tests only.
warm-plain: modules
	@mkdir -p .bin/plain
	$(PLAIN) -o .bin/plain/ ./cmd/agekit
	$(PLAIN) ./agekit/...

# The same for both kernels. The last two lines do it for the first Tab. Cells also
# work without completion.
FIRST_TAB = PATH="$$PWD/.bin:$$PATH" GOPROXY=off .bin/gonb -go_work="$$PWD" -warm $$'import "github.com/agekit/age/agekit"\n\n%%\nagekit.Sm'
warm: modules
	$(PLAIN) ./agekit/...
	go build ./agekit/...
	-CGO_ENABLED=0 GOFLAGS=-tags=noxla $(FIRST_TAB)
	-$(FIRST_TAB)
