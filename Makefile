# Targets are grouped as a newcomer meets them. `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

GO      ?= go
PYTHON  ?= python3
CACHE   := $(or $(GOPHE_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gophe)
PLUGIN  := $(CACHE)/xla/pjrt_c_api_cpu_plugin.so
PLUGIN_SHA256 := ad1309ac822b1b24d51b7f9947c7c9fa9ef5d67f390584cbc3d1fa2428fed9c2
BACKEND ?= auto
OUT     ?= experiments/out
STATICCHECK := $(CURDIR)/bin/staticcheck

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-26s %s\n", $$1, $$2}' Makefile

.PHONY: demo
demo: bin/phe ## Adult, one seed: PHE against the three Adas, table and figure (needs nothing but Go)
	./bin/phe run adult-demo --backend $(BACKEND)
	./bin/phe figure 3 --spec adult-demo --to out

.PHONY: test
test: ## all tests, on GoMLX's pure-Go backend
	$(GO) test ./...

.PHONY: test-xla
test-xla: xla ## the tests of everything that computes in graphs, on XLA
	GOPHE_TEST_BACKEND=xla:cpu $(GO) test ./phe/...

.PHONY: lint
lint: $(STATICCHECK) ## gofmt, vet, staticcheck
	@unformatted=$$(gofmt -l .); [ -z "$$unformatted" ] || { echo "run gofmt -w on: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(STATICCHECK) -checks inherit,-ST1001 ./... # graph code dot-imports GoMLX, as GoMLX does

.PHONY: bench
bench: ## benchmarks: hashing, loading, training, and five seeds of PHE against the authors' program
	$(GO) test -run '^$$' -bench . -benchtime 1x ./experiments/bench
	$(GO) test -run '^$$' -bench . ./phe/... ./data

.PHONY: reproduce
reproduce: reproduce-speed reproduce-classification reproduce-retail reproduce-movielens ## all studies into OUT, but for what is finished there, and REPRODUCTION.md from them; OUT=out/mine starts from nothing
	./bin/phe report --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),REPRODUCTION.md,$(OUT)/REPRODUCTION.md)

.PHONY: reproduce-speed
reproduce-speed: bin/phe xla ## speed and sampling schemes on Adult into OUT, but for what is finished there (about 9 minutes on 2 cores)
	for spec in adult-phe-moments adult-phe-local adult-schemes adult-rows; do \
		./bin/phe run $$spec --seeds 5 --resume --backend xla:cpu --out $(OUT); done # each alone: its peak memory is its own

.PHONY: reproduce-classification
reproduce-classification: bin/phe xla ## the whole classification study into OUT, but for what is finished there; OUT=out/mine starts anew
	./bin/phe reproduce classification covertype-whole --backend xla:cpu --out $(OUT)
	for figure in 1 3 5 6 8 9 10 11 11-stratified frontier pays; do ./bin/phe figure $$figure --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),figures/out,$(OUT)); done

.PHONY: reproduce-retail
reproduce-retail: bin/phe xla ## the whole Retail study into OUT, but for what is finished there; OUT=out/mine starts anew
	./bin/phe reproduce retail --backend xla:cpu --out $(OUT)
	for figure in 3-retail "3-retail --spec retail-forecast" 6 7 11 calibration; do ./bin/phe figure $$figure --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),figures/out,$(OUT)); done

.PHONY: reproduce-movielens
reproduce-movielens: bin/phe xla ## MovieLens' small sets and a generated one into OUT; needs PHE_DATA, or `phe data fetch ml-latest-small`
	./bin/phe reproduce movielens --backend xla:cpu --out $(OUT)
	for figure in 6 7 cold-start "memory --spec movielens-generated-3m" "calibration --spec movielens-small-wide"; do ./bin/phe figure $$figure --out $(OUT) --to $(if $(filter experiments/out,$(OUT)),figures/out,$(OUT)); done

.PHONY: bin/phe
bin/phe: ## build the phe command
	$(GO) build -o bin/phe ./experiments/cmd/phe

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

$(STATICCHECK):
	GOBIN=$(CURDIR)/bin $(GO) install honnef.co/go/tools/cmd/staticcheck@v0.6.1

.PHONY: clean
clean: ## remove what was built here (not the cache folder)
	rm -rf bin out
