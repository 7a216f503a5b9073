# make walkthrough   install what is missing, run the notebooks, write reports/*.html
# make test          all tests
# make lab           JupyterLab with the kernels
# make gpu-bundle    everything needed to test and measure on a GPU (docs/gpu.md)
# make lint bench clean
# make golden        recompute the tests' golden figures in Python; needs AGE_DATA
#
# Needs Go 1.26, gcc, Python 3.10 or later with venv, git and make. Installs only
# into .bin and .venv here, Go's caches and the user's cache directory.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
export GOEXPERIMENT := simd
export JUPYTER_PATH := $(CURDIR)$(if $(JUPYTER_PATH),:$(JUPYTER_PATH))

BIN := $(CURDIR)/.bin
# "age version" names the commit if git works; without git, go build would fail.
VCS := $(shell git status --porcelain >/dev/null 2>&1 && echo true || echo false)
LAB_FLAGS ?=
BENCH ?= .
BENCH_COUNT ?= 6
BENCH_JOBS ?= cora,planted-10000
BENCH_DIR ?= bench

.PHONY: walkthrough test lab lint bench gpu-bundle clean build tools jupyter warm

walkthrough: build tools jupyter warm
	$(BIN)/age walkthrough

lab: build tools jupyter warm
	.venv/bin/python -m jupyterlab --notebook-dir=notebooks $(LAB_FLAGS)

# The whole suite comes last, so that its summary ends the output.
test: build
	go vet ./...
	go test -tags noxla ./agekit/encoder/... ./agekit/backend/...
	GOEXPERIMENT=nosimd go test ./internal/simd/... ./agekit/laplacian/...
	@if $(BIN)/age backend install cpu; then \
	  echo "go test ./... with XLA on the CPU"; \
	  AGE_REQUIRE_XLA=1 go test ./...; \
	else \
	  warning="WARNING: no XLA plugin could be installed: the tests on backend xla:cpu DID NOT RUN (those named XLA in agekit/backend and agekit/encoder)"; \
	  echo "$$warning"; go test ./...; echo "$$warning"; \
	fi

lint: $(BIN)/.lint
	@unformatted=$$(gofmt -l agekit cmd internal kernels); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	go vet ./...
	$(BIN)/staticcheck ./...

# Compares the committed figures with numpy's, scipy's and scikit-learn's.
.PHONY: golden
golden: .venv-golden/.installed
	.venv-golden/bin/python scripts/golden.py --check agekit

.venv-golden/.installed: scripts/golden-requirements.txt
	python3 -m venv --clear .venv-golden
	.venv-golden/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r $<
	@touch $@

# Benchmarks of every stage at three sizes, named Stage/size/backend, compared with
# the previous run if there is one; then whole jobs, with tables and a figure in
# BENCH_DIR. All jobs: make bench BENCH_JOBS=  (takes hours; see age bench --help)
bench: build $(BIN)/.lint
	@mkdir -p bench; if [ -f bench/new.txt ]; then mv bench/new.txt bench/old.txt; fi
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(BENCH_COUNT) -timeout 2h ./... | tee bench/new.txt
	$(BIN)/benchstat $$(ls bench/old.txt 2>/dev/null || true) bench/new.txt
	$(BIN)/age bench $(if $(BENCH_JOBS),--jobs $(BENCH_JOBS)) --out bench/jobs.json
	$(BIN)/age bench report bench/jobs.json --dir $(BENCH_DIR)

gpu-bundle:
	@scripts/gpu-bundle.sh

clean:
	rm -rf .bin .venv .venv-golden reports bench

build:
	@mkdir -p $(BIN)
	go build -buildvcs=$(VCS) -o $(BIN)/age ./cmd/age

# The notebook kernel and the tools it needs.
tools: $(BIN)/.tools
$(BIN)/.tools: tools/go.mod tools/go.sum
	cd tools && GOBIN=$(BIN) go install tool
	@touch $@

$(BIN)/.lint: tools/lint/go.mod tools/lint/go.sum
	cd tools/lint && GOBIN=$(BIN) go install tool
	@touch $@

jupyter:
	@scripts/jupyter.sh

# Compiles the packages that cells import, with the build tags of both kernels;
# otherwise the first cell would take a minute. Cells download nothing, and Go needs
# every module of go.mod, even those for tests only.
warm:
	go mod download
	go build -tags noxla ./agekit/... ./internal/nbdeps
	go build ./agekit/... ./internal/nbdeps
