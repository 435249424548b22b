# Targets are grouped as a newcomer meets them. `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO      ?= go
PYTHON  ?= python3
CACHE   := $(or $(GOPHE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gophe)
PLUGIN  := $(CACHE)/xla/pjrt_c_api_cpu_plugin.so
PLUGIN_SHA256 := ad1309ac822b1b24d51b7f9947c7c9fa9ef5d67f390584cbc3d1fa2428fed9c2
HADOLINT := $(CACHE)/hadolint/bin/hadolint
BACKEND ?= auto
OUT     ?= experiments/out
PICTURES := $(if $(filter experiments/out,$(OUT)),figures/out,$(OUT))
STATICCHECK := $(CURDIR)/bin/staticcheck
# The race detector also checks pointer arithmetic, which GoMLX's pure-Go matrix product fails: that check is off in GoMLX.
RACE    := -race -gcflags='github.com/gomlx/...=-d=checkptr=0'
ONLY    ?=# word that the mutants' files or descriptions contain
TOOLS   := ./.ci/mutants ./.ci/prose # "..." passes over folders whose name begins with a dot
JUPYTER := $(CACHE)/jupyter
RIVALS  := $(CACHE)/rivals
STREAM_RIVALS := $(CACHE)/stream-rivals
NOTEBOOKS := $(wildcard notebooks/*.ipynb)
TO      ?= out/notebooks
LAB     ?=# options of jupyter lab, such as --no-browser
BOOK    ?= out/book
FROM    ?= notebooks
EXTRA   ?=# notebooks that only a test's book has
WORK    := out/book-work

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-26s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: bin/phe ## run Adult with items arriving group by group: one pass, PHE as published, Ada and both frozen; table and figure (needs only Go)
	./bin/phe run adult-demo --force --backend $(BACKEND) > /dev/null
	@echo; ./bin/phe table demo; echo
	./bin/phe figure 3 --spec adult-demo --to out

.PHONY: test
test: ## run all tests on GoMLX's pure-Go backend
	$(GO) test ./... $(TOOLS)

.PHONY: test-xla
test-xla: xla ## run the tests of packages that compute in graphs, on XLA; GOPHE_TEST=long takes all their cases
	GOPHE_TEST_BACKEND=xla:cpu $(GO) test -timeout 60m ./phe/...

# These packages run things concurrently. Tests are ten times as slow under the race detector, so only test-all takes every
# package. Data's two tests of memory skip themselves, because the detector's own memory would count.
.PHONY: test-race
test-race: ## test the concurrent packages under the race detector
	$(GO) test $(RACE) ./phe/checkpoint ./phe/cluster ./phe/feed ./phe/journal ./phe/learn ./phe/page ./phe/serve ./experiments/protocol ./experiments/result ./notebooks/show ./notebooks/play
	$(GO) test $(RACE) -run 'TestOwnSizes|TestRefreshInterrupted|TestForks' ./experiments/run ./phe/ncf
	$(GO) test $(RACE) -run 'TestContract/^PHE$$/beside_an_update' ./phe/ncf

.PHONY: cluster-proof
cluster-proof: ## kill learners, keepers and servers of a cluster, and compare the belief with the rows (about 30 minutes)
	$(GO) build -o bin/clusterproof ./experiments/cmd/clusterproof
	bin/clusterproof drive -times 5

.PHONY: chromium
chromium: ## install Chromium for test-page and test-book, if there is none (on Debian)
	@command -v chromium chromium-browser google-chrome chrome > /dev/null || [ -n "$${GOPHE_CHROMIUM:-}" ] || \
		{ apt-get update && apt-get install -y --no-install-recommends chromium fonts-dejavu-core; } || echo "install Chromium; the tests skip themselves without it"

.PHONY: test-page
test-page: chromium ## test the live page in Chromium; GOPHE_PAGE_PICTURES=FOLDER keeps screenshots
	$(GO) test -count 1 -v -run TestBrowser ./phe/page

.PHONY: mutants
mutants: ## break the program in more than a hundred places, one at a time: some test must notice each; ONLY=WORD takes some
	$(GO) run ./.ci/mutants -only "$(ONLY)"

.PHONY: test-all
test-all: ## run the long forms of all tests: every case on XLA, every package under the race detector, all mutants, quick notebooks
	$(MAKE) test
	GOPHE_TEST=long $(MAKE) test-xla
	$(GO) test $(RACE) -timeout 120m ./...
	$(MAKE) mutants
	$(MAKE) demo BACKEND=go
	$(MAKE) look LOOK="mushroom-group-large adult-order adult-adaptation retail-group-separate"
	$(MAKE) test-notebooks notebooks test-widgets
	$(MAKE) test-module

LOOK ?= mushroom-by-group mushroom-growing mushroom-swapped covertype-online
.PHONY: look
look: bin/phe xla ## run a small part of the studies LOOK on XLA
	./bin/phe run $(LOOK) --quick --force --backend xla:cpu --out out/look

.PHONY: lint
lint: $(STATICCHECK) ## gofmt, vet, staticcheck and plain English
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GO) vet ./... $(TOOLS)
	$(STATICCHECK) -checks inherit,-ST1001 ./... $(TOOLS) # graph code dot-imports GoMLX, as GoMLX does
	$(GO) run ./.ci/prose

.PHONY: bench
bench: ## benchmark hashing, loading, training, and five seeds of PHE against the authors' program
	$(GO) test -run '^$$' -bench . -benchtime 1x ./experiments/bench
	$(GO) test -run '^$$' -bench . ./phe/... ./data/...

.PHONY: bench-serve
bench-serve: ## load phe serve with 64 clients, a minute each: forecasts, learning, half of each; SECONDS=5 is shorter
	GOPHE_LOAD_SECONDS=$(or $(SECONDS),60) $(GO) test -count=1 -v -timeout 30m -run TestLoad ./phe/serve

.PHONY: bench-rivals
bench-rivals: bin/phe xla rivals ## time PHE in gophe, JAX and PyTorch in turn on one core (about 25 minutes; resumes where it stopped) into out/rivals
	$(PYTHON) experiments/bench/rivals/run.py --phe bin/phe --python $(RIVALS)/bin/python --to out/rivals

STREAMS_OUT ?= experiments/streams/results.json
STREAMS ?=# options of bench-streams, such as --jobs 1, --rows 5000 or --streams ml_4,adult

.PHONY: bench-streams
bench-streams: stream-rivals ## compare phe stream with Vowpal Wabbit, river, AdPredictor and LightGBM on seven streams, and write docs/streams-compared.md (resumes where it stopped)
	$(GO) build -trimpath -buildvcs=false -o bin/phe-streams ./experiments/cmd/phe
	$(GO) build -o bin/streams ./experiments/cmd/streams
	./bin/streams --phe bin/phe-streams --python $(STREAM_RIVALS)/bin/python --to $(STREAMS_OUT) --jobs 2 $(STREAMS)
	[ $(STREAMS_OUT) != experiments/streams/results.json ] || $(GO) test ./experiments/streams -run TestPage -update

.PHONY: reproduce
reproduce: reproduce-movielens reproduce-speed reproduce-classification reproduce-retail reproduce-one-pass ## run all unfinished studies into OUT, except the 32 million ratings, and write the pages about them; OUT=out/mine starts from nothing
	@# MovieLens runs first: if its files are missing, the error comes at once, not after hours
	./bin/phe report --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),.,$(OUT))

.PHONY: reproduce-speed
reproduce-speed: bin/phe xla ## measure speed and sampling schemes on Adult into OUT; finished results stay (about 9 minutes on 2 cores)
	for spec in adult-phe-moments adult-phe-local adult-schemes adult-rows; do \
		./bin/phe run $$spec --seeds 5 --resume --backend xla:cpu --out $(OUT); done # each alone: its peak memory is its own

.PHONY: reproduce-classification
reproduce-classification: bin/phe xla ## run the classification study into OUT; finished results stay, and OUT=out/mine starts anew
	./bin/phe reproduce classification covertype-whole --backend xla:cpu --out $(OUT)
	./bin/phe figure all --out $(OUT) --to $(PICTURES) --format svg

.PHONY: reproduce-retail
reproduce-retail: bin/phe xla ## run the Retail study into OUT; finished results stay, and OUT=out/mine starts anew
	./bin/phe reproduce retail --backend xla:cpu --out $(OUT)
	./bin/phe figure all --out $(OUT) --to $(PICTURES) --format svg

.PHONY: reproduce-one-pass
reproduce-one-pass: bin/phe xla ## run one pass on the streams of tables and of ratings into OUT; finished results stay
	./bin/phe reproduce one-pass --backend xla:cpu --out $(OUT)
	./bin/phe reproduce one-pass-ratings --backend go --out $(OUT)

.PHONY: reproduce-movielens
reproduce-movielens: bin/phe xla ## run MovieLens' small sets and a generated one into OUT; needs ml-latest-small and the authors' sample: `phe data list`
	./bin/phe reproduce movielens --backend xla:cpu --out $(OUT)
	./bin/phe figure all --out $(OUT) --to $(PICTURES) --format svg

.PHONY: figures
figures: bin/phe ## draw the pictures of the results in OUT again, into figures/out (or into OUT, if you set it)
	./bin/phe figure all --out $(OUT) --to $(PICTURES) --format svg

.PHONY: bin/phe
bin/phe: ## build the phe command
	$(GO) build -o bin/phe ./experiments/cmd/phe

RELEASE ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
.PHONY: release
release: ## static binaries of phe for Linux, macOS and Windows, with checksums, into out/release
	mkdir -p out/release
	for target in $(RELEASE); do \
		os=$${target%/*} arch=$${target#*/} file=out/release/phe-$${target/\//-}; \
		[ $$os != windows ] || file=$$file.exe; \
		echo "$$file"; CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -ldflags="-s -w" -o $$file ./experiments/cmd/phe; \
	done
	cd out/release && sha256sum phe-* > SHA256SUMS

.PHONY: modules
modules: ## download the Go modules, so that building and testing need no network
	$(GO) mod download

.PHONY: xla
xla: ## install XLA's CPU plugin into the cache folder (Python's pip fetches it, 63 MB; checksums are verified)
	@if echo "$(PLUGIN_SHA256)  $(PLUGIN)" | sha256sum --check --status 2>/dev/null; then echo "the plugin is at $(PLUGIN)"; exit; fi; \
	temp=$$(mktemp -d); trap 'rm -rf "$$temp"' EXIT; \
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --require-hashes \
		--only-binary :all: --target "$$temp" -r .ci/xla.txt; \
	echo "$(PLUGIN_SHA256)  $$temp/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so" | sha256sum --check --quiet; \
	mkdir -p "$(dir $(PLUGIN))"; \
	mv "$$temp/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so" "$(PLUGIN)"; \
	echo "installed $(PLUGIN)"

.PHONY: xla-cuda
xla-cuda: ## install XLA's CUDA plugin and NVIDIA's libraries (3 GB; needs a GPU with its driver to run)
	mkdir -p $(CACHE)/xla-cuda
	$(PYTHON) -m pip install --disable-pip-version-check --no-deps --require-hashes --only-binary :all: --upgrade --target $(CACHE)/xla-cuda -r .ci/xla-cuda.txt

GPU     := experiments/bench/gpu
BUNDLE  ?= out/gpu-bundle
GPU_XZ  ?= 9# xz's preset: 1 packs in a quarter of the time, to a tenth more

.PHONY: gpu-bundle
gpu-bundle: ## pack the programs for a machine with a GPU into out/gpu-bundle; its README says how to use them
	@temp=$$(mktemp -d); trap 'rm -rf "$$temp"' EXIT; \
	$(GO) build -trimpath -ldflags "-s -w" -o "$$temp/phe" ./experiments/cmd/phe; \
	for package in phe phe/tabular phe/dkf phe/ncf; do \
		$(GO) test -c -trimpath -ldflags "-s -w" -o "$$temp/$$(basename $$package).test" ./$$package; done; \
	rm -rf $(BUNDLE); mkdir -p $(BUNDLE); \
	cp $(addprefix $(GPU)/,README.md check.sh check.py compare.py recorder.py unpack.py workloads.py reference.jsonl) $(BUNDLE); \
	$(PYTHON) $(GPU)/pack.py $(GPU_XZ) $(BUNDLE)/programs.tar.xz "$$temp/phe" "$$temp"/*.test

.PHONY: gpu-luggage
gpu-luggage: ## check that checkout and bundle together fit on such a machine: 64 MiB
	@bytes=$$(git ls-files -z --cached --others --exclude-standard | xargs -0 stat -c %s -- $(BUNDLE)/* | awk '{sum += $$1} END {print sum}'); \
	echo "checkout and bundle: $$bytes bytes of 67108864"; [ "$$bytes" -le 67108864 ]

.PHONY: gpu-rehearsal
gpu-rehearsal: xla ## rehearse the check of a GPU on XLA's processor backend, in a folder without Go (a minute)
	cd $(GPU) && $(PYTHON) -B -m unittest -b test_check
	$(MAKE) --no-print-directory gpu-bundle
	PLUGIN=$(PLUGIN) BUNDLE=$(BUNDLE) $(GPU)/rehearse.sh

.PHONY: gpu-reference
gpu-reference: bin/phe xla ## measure the missing reference scores for a GPU on XLA's processor backend (about 20 minutes)
	$(PYTHON) $(GPU)/reference.py bin/phe

# .ci/xla-cuda.verified holds the checksums of the pins and of the Dockerfile at the last success of this target.
.PHONY: xla-cuda-verify
xla-cuda-verify: ## try `make xla-cuda` in a folder that is thrown away; nothing is downloaded unless its pins or Dockerfile.cuda changed
	@if sha256sum --check --status .ci/xla-cuda.verified 2>/dev/null; then echo "no change since .ci/xla-cuda.verified"; exit; fi; \
	folder=$$(mktemp -d); trap 'rm -rf "$$folder"' EXIT; \
	GOPHE_CACHE=$$folder $(MAKE) xla-cuda; \
	find "$$folder/xla-cuda" -name 'xla_cuda_plugin.so' -size +100M | grep . || { echo "the wheels hold no xla_cuda_plugin.so"; exit 1; }; \
	sha256sum .ci/xla-cuda.txt docker/Dockerfile.cuda > .ci/xla-cuda.verified; \
	echo "wrote .ci/xla-cuda.verified; commit it, or each CI run downloads 3 GB"

# PyTorch's wheel is linked to CUDA's libraries. On a processor nothing calls them: empty ones do, if symbols are bound late.
CUDA_UNUSED := libcublas.so.13 libcublasLt.so.13 libcudnn.so.9 libcufft.so.12 libcufile.so.0 libcurand.so.10 libcusparse.so.12 \
	libcusparseLt.so.0 libnccl.so.2 libnvshmem_host.so.3

.PHONY: rivals
rivals: $(RIVALS)/installed ## install JAX and PyTorch for the processor into the cache folder (Python's venv and pip; 700 MB)

$(RIVALS)/installed: .ci/rivals.txt
	$(PYTHON) -m venv --clear $(RIVALS)
	$(RIVALS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r $<
	@packages=$$($(RIVALS)/bin/python -c 'import site; print(site.getsitepackages()[0])'); \
	for library in $(CUDA_UNUSED); do \
		$(or $(CC),cc) -shared -x c /dev/null -Wl,-soname,$$library -o $$packages/torch/lib/$$library; \
	done; \
	echo 'import os, sys; sys.setdlopenflags(os.RTLD_LAZY)' > $$packages/late_binding.pth
	@$(RIVALS)/bin/python -c 'import jax, torch; print("installed jax", jax.__version__, "and torch", torch.__version__)'
	touch $@

.PHONY: stream-rivals
stream-rivals: $(STREAM_RIVALS)/installed ## install Vowpal Wabbit, river and LightGBM into the cache folder (Python's venv and pip; 275 MB)

$(STREAM_RIVALS)/installed: .ci/streams.txt
	$(PYTHON) -m venv --clear $(STREAM_RIVALS)
	$(STREAM_RIVALS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary :all: -r $<
	@$(STREAM_RIVALS)/bin/python -c 'import lightgbm, river, vowpal_wabbit_next as v; print("installed Vowpal Wabbit", v.VW_VERSION, "river", river.__version__, "LightGBM", lightgbm.__version__)'
	touch $@

.PHONY: notebooks
notebooks: kernel xla ## execute all notebooks headless into TO; GOPHE_NOTEBOOKS=full: in the paper's size, look: in seconds each
	PATH="$(JUPYTER)/bin:$$PATH" $(JUPYTER)/bin/python notebooks/run.py --to $(TO) $(NOTEBOOKS)

.PHONY: test-notebooks
test-notebooks: kernel ## test that a notebook's failure is seen
	cd notebooks && PATH="$(JUPYTER)/bin:$$PATH" $(JUPYTER)/bin/python -B -m unittest -b run_test

# Sphinx reads copies in the same folders, so that the pages' links keep their meaning. A warning, such as a dead link, is an error.
.PHONY: book
book: $(JUPYTER)/book-installed ## all notebooks and pages as a site that needs no network, into out/book; FROM=out/notebooks takes the notebooks that you executed
	@rm -rf $(WORK); mkdir -p $(WORK)/pages/notebooks $(WORK)/pages/figures
	@cp -R notebooks/book/index.md REPRODUCTION.md docs $(WORK)/pages; cp -R figures/out $(WORK)/pages/figures
	@cp notebooks/*.ipynb $(WORK)/pages/notebooks; cp $(FROM)/*.ipynb $(EXTRA) $(WORK)/pages/notebooks
	$(JUPYTER)/bin/python -B -m sphinx --quiet --fail-on-warning --conf-dir notebooks/book --doctree-dir $(WORK)/doctrees $(WORK)/pages $(WORK)/html
	@rm -rf $(BOOK); mv $(WORK)/html $(BOOK); rm -rf $(WORK); echo "open $(BOOK)/index.html in a browser"

.PHONY: test-book
test-book: chromium ## build the book with one page more, and test each page in Chromium; GOPHE_PAGE_PICTURES=FOLDER keeps screenshots
	$(MAKE) --no-print-directory book BOOK=out/book-tested EXTRA=notebooks/book/testdata/fixture.ipynb
	GOPHE_BOOK=$(CURDIR)/out/book-tested $(GO) test -count 1 -v -run TestBook ./notebooks/book

.PHONY: book-tools
book-tools: $(JUPYTER)/book-installed ## install what makes the book, Sphinx and MathJax, next to the kernel (100 MB)

$(JUPYTER)/book-installed: .ci/book.txt
	@[ -x $(JUPYTER)/bin/python ] || $(PYTHON) -m venv $(JUPYTER)
	$(JUPYTER)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r $<
	touch $@

.PHONY: test-widgets
test-widgets: kernel lab chromium ## move widgets in JupyterLab in Chromium; GOPHE_TEST=long moves every widget of every notebook (minutes)
	GOPHE_JUPYTER=$(JUPYTER)/bin $(GO) test -count 1 -timeout 40m -v -run 'TestLab|TestWidgets' ./notebooks/play

.PHONY: jupyter
jupyter: kernel lab xla ## open 0-start-here in JupyterLab; it sets up everything that is missing
	PATH="$(JUPYTER)/bin:$$PATH" $(JUPYTER)/bin/jupyter lab --notebook-dir notebooks --LabApp.default_url=/lab/tree/0-start-here.ipynb $(LAB)

.PHONY: kernel
kernel: ## install the Go kernel of notebooks (GoNB) and the tools that execute them into the cache folder (Python's venv and pip; 70 MB)
	@[ -x $(JUPYTER)/bin/python ] || $(PYTHON) -m venv $(JUPYTER)
	$(JUPYTER)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r .ci/notebooks.txt
	GOBIN=$(JUPYTER)/bin $(GO) install tool
	@said=$$(PATH="$(JUPYTER)/bin:$$PATH" JUPYTER_DATA_DIR=$(JUPYTER)/share/jupyter gonb --install --force_deps --raw_error 2>&1) || { echo "$$said"; exit 1; }

# Without these settings JupyterLab asks at its first start whether it may fetch news, and asks a server for newer versions.
QUIET_LAB := {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}

.PHONY: lab
lab: kernel ## install JupyterLab next to the kernel (180 MB more)
	$(JUPYTER)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r .ci/lab.txt
	@mkdir -p $(JUPYTER)/share/jupyter/lab/settings; echo '$(QUIET_LAB)' > $(JUPYTER)/share/jupyter/lab/settings/overrides.json

$(STATICCHECK):
	GOBIN=$(CURDIR)/bin $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.6.1

# The second check makes sure that CI has built every target of the images' RUN lines.
.PHONY: docker-lint
docker-lint: $(HADOLINT) ## run hadolint on the Dockerfiles, and check that CI runs every Make target they run
	$(HADOLINT) --config docker/.hadolint.yaml docker/Dockerfile docker/Dockerfile.cuda
	@for target in $$(sed -nE 's/^(RUN|.*&&) make ([^\\]*).*/\2/p' docker/Dockerfile*); do \
		sed 's/"[^"]*"//g' .ci/run | grep -qE "\<make( [a-z/-]+)* $$target(-verify)?( |;|$$)" || { echo "docker/ runs make $$target, .ci/run does not"; exit 1; }; done

$(HADOLINT): .ci/hadolint.txt
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action ignore --no-deps --require-hashes \
		--only-binary :all: --upgrade --target $(CACHE)/hadolint -r $<
	touch $@

.PHONY: rename-module
rename-module: ## change the module's path in go.mod, imports and notebooks: MODULE=example.org/you/gophe
	@[[ "$(MODULE)" =~ ^[a-z0-9.-]+\.[a-z]+(/[A-Za-z0-9._~-]+)+$$ ]] || { echo 'give a path with a domain, such as: make rename-module MODULE=example.org/you/gophe'; exit 1; }
	@old=$$($(GO) list -m); \
	git grep -lz "\"$$old/" -- '*.go' '*.ipynb' | xargs -0 sed -i -E "s#\"$$old/([a-z0-9/]+\\\\?\")#\"$(MODULE)/\1#g"; \
	$(GO) mod edit -module "$(MODULE)"; \
	git ls-files -z '*.go' | xargs -0 gofmt -w; \
	$(GO) build ./... ; echo "the module is $(MODULE); look at the change with git diff --stat, and commit it"

.PHONY: test-module
test-module: ## test that another module can depend on this one, as docs/library.md says, and that a renamed module builds (2 minutes)
	.ci/module

.PHONY: clean
clean: ## remove built files (not the cache folder)
	rm -rf bin out
