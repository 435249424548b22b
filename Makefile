# The targets stand in groups, as a newcomer meets them. `make` lists them. Scripts in .ci do what no page and no error names.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO      ?= go
PYTHON  ?= python3
export GO PYTHON
CACHE   := $(or $(GOPHE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gophe)
JUPYTER := $(CACHE)/jupyter
BACKEND ?= $(or $(GOPHE_BACKEND),auto)
OUT     ?= experiments/out
PICTURES := $(if $(filter experiments/out,$(OUT)),figures/out,$(OUT))
TOOLS   := ./.ci/mutants ./.ci/lint # "..." passes over folders whose name begins with a dot

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^### / {print "\n" substr($$0, 5)} /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

### Begin

.PHONY: demo
demo: bin/phe ## learn the products and customers that keep coming to Online Retail, with them and without them: table and figure (needs only Go)
	./bin/phe run retail-demo --force --backend $(BACKEND) > /dev/null
	./bin/phe figure late-items --spec retail-demo --to out
	@echo; ./bin/phe table demo

# `make lint` vets. Some tests wait, so one package more than the processors runs at a time. Seventy programs are linked, and without the
# C linker that takes a fifth less.
TESTFLAGS ?= -vet=off -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) $(if $(filter GNU/Linux,$(shell uname -o 2>/dev/null)),-ldflags=-linkmode=internal)

.PHONY: test
test: export GOGC ?= 200 # half of the collections, and a tenth of the time
test: ## run the tests on GoMLX's pure-Go backend
	$(GO) test $(TESTFLAGS) ./... $(TOOLS)

.PHONY: bin/phe
bin/phe: ## build the phe command
	$(GO) build -o bin/phe ./phe/cmd/phe

.PHONY: clean
clean: ## remove built files (not the cache folder)
	rm -rf bin out

### Install

.PHONY: modules
modules: ## download the Go modules, so that building and testing need no network
	$(GO) mod download

.PHONY: xla
xla: ## install XLA's CPU plugin into the cache folder (Python's pip fetches it, 63 MB; checksums are verified)
	@.ci/xla

.PHONY: xla-cuda
xla-cuda: ## install XLA's CUDA plugin and NVIDIA's libraries (3 GB; needs a GPU with its driver to run)
	@.ci/python 'import pip'
	mkdir -p $(CACHE)/xla-cuda
	$(PYTHON) -m pip install --disable-pip-version-check --no-deps --require-hashes --only-binary :all: --upgrade --target $(CACHE)/xla-cuda -r .ci/xla-cuda.txt

### Change the code

STATICCHECK_VERSION := v0.6.1
STATICCHECK := $(CACHE)/staticcheck-$(STATICCHECK_VERSION)/staticcheck

.PHONY: lint
lint: $(STATICCHECK) ## gofmt, vet, staticcheck and plain English
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GO) vet ./... $(TOOLS)
	$(STATICCHECK) -checks inherit,-ST1001 ./... $(TOOLS) # graph code dot-imports GoMLX, as GoMLX does
	$(GO) run ./.ci/lint

$(STATICCHECK):
	GOBIN=$(@D) $(GO) install honnef.co/go/tools/cmd/staticcheck@$(STATICCHECK_VERSION)

.PHONY: test-all
test-all: ## run the long forms of all tests, as CI does each night (hours)
	.ci/night

.PHONY: bench
bench: ## benchmark hashing, loading and training
	$(GO) test -run '^$$' -bench . ./phe/... ./data/...

RELEASE ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
.PHONY: release
release: ## static binaries of phe for Linux, macOS and Windows, with licences and checksums, into out/release; this machine's is tested
	mkdir -p out/release
	version=$$(sed -n 's/^const Release = "\(.*\)"/\1/p' phe/stream/save.go); \
	for target in $(RELEASE); do \
		os=$${target%/*} arch=$${target#*/} file=out/release/phe-$${target/\//-}; \
		[ $$os != windows ] || file=$$file.exe; \
		echo "$$file"; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags="-s -w" -o $$file ./phe/cmd/phe; \
		[ "$$($(GO) version -m $$file | grep -cE "GO(OS=$$os|ARCH=$$arch)$$")" = 2 ] && grep -aqF "phe $$version" $$file || \
			{ echo "$$file is not phe $$version for $$target"; exit 1; }; \
	done
	.ci/licences $(RELEASE) > out/release/LICENSES.txt
	cd out/release && sha256sum phe-* LICENSES.txt > SHA256SUMS
	GOPHE_TEST_PHE=$(CURDIR)/out/release/phe-$$($(GO) env GOOS)-$$($(GO) env GOARCH) $(GO) test -count=1 ./docs -run 'TestFiles|TestRelease'

.PHONY: rename-module
rename-module: ## change the module's path in go.mod, imports and notebooks: MODULE=example.org/you/gophe
	@[[ "$(MODULE)" =~ ^[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._~-]+)+$$ ]] || { echo 'give a path with a domain, such as: make rename-module MODULE=example.org/you/gophe'; exit 1; }
	@old=$$($(GO) list -m); \
	git grep -lz "\"$$old/" -- '*.go' '*.ipynb' '*.patch' | xargs -0 sed -i -E "s#\"$$old/([a-z0-9/]+\\\\?\")#\"$(MODULE)/\1#g"; \
	$(GO) mod edit -module "$(MODULE)"; \
	sed -i -E "s#(^|[[:space:]])$$old([ /])#\1$(MODULE)\2#" phe/examples/go.mod; \
	git ls-files -z '*.go' | xargs -0 gofmt -w; \
	$(GO) build ./... ; echo "the module is $(MODULE); look at the change with git diff --stat, and commit it"

### Read and run notebooks

NOTEBOOKS := $(wildcard notebooks/*.ipynb)
TO      ?= out/notebooks
LAB     ?=# options of jupyter lab, such as --no-browser

notebooks jupyter: export GOPHE_BACKEND := $(BACKEND)
XLA_IF_USED := $(if $(filter auto xla:cpu,$(BACKEND)),xla)

# A step of training says what is wrong with BACKEND before a kernel starts.
.PHONY: backend
backend: bin/phe $(XLA_IF_USED)
	@./bin/phe bench --task adult --steps 1 --backend $(BACKEND) > /dev/null

.PHONY: notebooks
notebooks: backend ## execute all notebooks headless into TO, on BACKEND; GOPHE_NOTEBOOKS=full: in the paper's size
	.ci/kernel
	PATH="$(JUPYTER)/bin:$$PATH" $(JUPYTER)/bin/python notebooks/run.py --to $(TO) $(NOTEBOOKS)

.PHONY: jupyter
jupyter: backend ## open 0-start-here in JupyterLab; it sets up everything that is missing
	.ci/kernel
	PATH="$(JUPYTER)/bin:$$PATH" $(JUPYTER)/bin/jupyter lab --notebook-dir . --LabApp.default_url=/lab/tree/notebooks/0-start-here.ipynb $(LAB)

BOOK    ?= out/book
FROM    ?= notebooks
EXTRA   ?=# notebooks that only a test's book has
WORK    := out/book-work

# Sphinx reads copies in the same folders, so that the pages' links keep their meaning. A warning, such as a dead link, is an error.
.PHONY: book
book: ## all notebooks and pages as a site that needs no network, into out/book; FROM=out/notebooks takes the notebooks that you executed
	@.ci/venv $(JUPYTER) .ci/jupyter.txt
	@rm -rf $(WORK); mkdir -p $(WORK)/pages/notebooks $(WORK)/pages/figures
	@cp -R notebooks/book/index.md REPRODUCTION.md docs $(WORK)/pages; cp -R figures/out $(WORK)/pages/figures
	@find $(WORK)/pages -name testdata -exec rm -r {} + # a test's pages are none of the book
	@cp notebooks/*.ipynb $(WORK)/pages/notebooks; cp $(FROM)/*.ipynb $(EXTRA) $(WORK)/pages/notebooks
	$(JUPYTER)/bin/python -B -m sphinx --quiet --fail-on-warning --conf-dir notebooks/book --doctree-dir $(WORK)/doctrees $(WORK)/pages $(WORK)/html
	@rm -rf $(BOOK); mv $(WORK)/html $(BOOK); rm -rf $(WORK); echo "open $(BOOK)/index.html in a browser"

### Measure again

.PHONY: reproduce
reproduce: TRAIN = $(if $(filter auto,$(BACKEND)),xla:cpu,$(BACKEND))
reproduce: bin/phe $(XLA_IF_USED) ## run all unfinished studies into OUT on BACKEND, except the 32 million ratings, and write the pages about them; OUT=out/mine starts from nothing
	@# MovieLens runs first: if its files are missing, the error comes at once, not after hours
	./bin/phe reproduce movielens --backend $(TRAIN) --out $(OUT)
	for spec in adult-phe-moments adult-phe-local adult-schemes adult-rows; do \
		./bin/phe run $$spec --seeds 5 --resume --backend $(TRAIN) --out $(OUT); done # each alone: its peak memory is its own
	./bin/phe reproduce classification covertype-whole growth limitations retail one-pass text late --backend $(TRAIN) --out $(OUT)
	./bin/phe reproduce one-pass-ratings late-whole --backend go --out $(OUT)
	./bin/phe figure all --out $(OUT) --to $(PICTURES)
	./bin/phe report --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),.,$(OUT))

.PHONY: figures
figures: bin/phe ## draw the pictures of the results in OUT again, into figures/out (or into OUT, if you set it)
	./bin/phe figure all --out $(OUT) --to $(PICTURES)

.PHONY: gpu
gpu: ## on a machine with an NVIDIA GPU: what it has, tests on it, and what it is worth, in three minutes, into out/gpu
	.ci/gpu

.PHONY: gpu-jax
gpu-jax: ## on a machine with an NVIDIA GPU: the lines of docs/backends.md beside JAX of PYTHON, in eight minutes, into out/gpu
	.ci/gpu jax

.PHONY: gpu-hlo
gpu-hlo: ## without a GPU: compile every program for an NVIDIA H200, and compare the kernels of a step (330 MB of Python packages; a quarter of an hour)
	.ci/gpu-hlo

.PHONY: bench-rivals
bench-rivals: bin/phe xla ## time PHE in gophe, JAX and PyTorch in turn on one core (about 25 minutes; resumes where it stopped) into out/rivals
	.ci/rivals
	$(PYTHON) experiments/bench/rivals/run.py --phe bin/phe --python $(CACHE)/rivals/bin/python --to out/rivals

STREAMS_OUT ?= experiments/bench/streams/results.json
STREAMS ?=# options of bench-streams, such as --rows 5000 or --streams ml_4,adult

.PHONY: bench-streams
bench-streams: ## compare phe stream with Vowpal Wabbit, river, AdPredictor and LightGBM on eight streams, and write docs/streams-compared.md (resumes where it stopped)
	.ci/venv $(CACHE)/stream-rivals .ci/streams.txt --no-deps
	@# a copy, since Linux maps a file that was just linked in pages of 2 MB, which the peak memory then shows
	$(GO) build -trimpath -buildvcs=false -o bin/phe-linked ./phe/cmd/phe
	cp bin/phe-linked bin/phe-streams
	$(GO) build -o bin/streams ./experiments/bench/streams
	./bin/streams --phe bin/phe-streams --python $(CACHE)/stream-rivals/bin/python --to $(STREAMS_OUT) $(STREAMS)
	[ $(STREAMS_OUT) != experiments/bench/streams/results.json ] || $(GO) test ./experiments/bench/streams -run TestPage -update
