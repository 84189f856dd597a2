# All that is needed is Go, make and git; nothing is downloaded besides Go modules.

BIN  := bin/oncecheck
# Arguments for run and mutants: make run ARGS="--only 'idempotency/**'"
ARGS :=

# These build and start ./cmd/oncecheck, which go test does not know: a cached
# result would not notice that it changed.
STARTS  := ./scenarios/suite ./scenarios/guard
# Where goroutines meet; the rest gains nothing from the race detector.
RACY    := ./harness/... ./fakes/... ./reference/... ./scenarios/... ./cmd/...
# A system that nobody here wrote; a module of its own, so that ours does not
# depend on it. OUT is where the evidence goes: make foreign OUT=/tmp/fiber
FOREIGN := scenarios/testdata/fiber
OUT     :=
# HTTP clients that nobody here wrote, in a module of their own for the same reason.
CLIENTS := scenarios/testdata/clients

# What make lint asks for where it is missing.
LINT_VERSION := v2.15.0
LINT         := golangci-lint

.DEFAULT_GOAL := help
.PHONY: help build run test race mutants foreign clients bench lint

help: ## show this
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

build: ## build ./bin/oncecheck
	@go build -o $(BIN) ./cmd/oncecheck

run: build ## test the embedded reference; evidence under ./evidence/
	@$(BIN) run $(ARGS)

# Pure Go throughout: no C compiler is asked for. What starts the reference comes
# last and by itself, so that it need not share the machine with compilers.
test: export CGO_ENABLED = 0
test: ## run all tests
	@rc=0; \
	go test $$(go list ./... | grep -vE '/scenarios/(suite|guard)$$') || rc=1; \
	go test -count=1 -p 1 $(STARTS) || rc=1; \
	exit $$rc

race: export CGO_ENABLED = 1
# Scenarios that measure times stay out of the suite's run here: the detector
# makes the harness lag behind its own tolerance, and what lags decides nothing.
race: ## run the tests of what is concurrent under the race detector; needs a C compiler
	@rc=0; \
	go test -race -count=1 $$(go list $(RACY) | grep -v '/scenarios/suite$$') || rc=1; \
	go test -race -count=1 ./scenarios/suite -args -ginkgo.skip='(client|gateway|deadline)/' || rc=1; \
	exit $$rc

mutants: build ## the kill matrix: each mutant fails exactly the clauses of its row
	@$(BIN) mutants $(ARGS)

foreign: build ## test a system that nobody here wrote: its verdicts are exactly the known ones
	@go -C $(FOREIGN) build -o "$(CURDIR)/bin/fiber" .
	@go run ./scenarios/internal/foreign -expected $(FOREIGN)/expected.tsv $(if $(OUT),-out "$(OUT)") -- \
		bin/fiber -addr 127.0.0.1:0 -write-profile {profile} -until-stdin-closes

clients: build ## test HTTP clients, ours and two that nobody here wrote: their verdicts are exactly the known ones
	@go build -o bin/reference-client ./reference/stack/shim
	@go -C $(CLIENTS) build -o "$(CURDIR)/bin/" ./nethttp ./retryablehttp
	@go run ./scenarios/internal/foreign -clients -expected $(CLIENTS)/expected $(if $(OUT),-out "$(OUT)") -- \
		bin/reference-client bin/nethttp bin/retryablehttp

bench: ## what our machinery costs, as ratios against peers in one run
	@go test ./harness/internal/bench -run TestRatios -count=1 -v -args -measure | grep -vE '^(=== RUN|--- PASS|PASS)'

lint: ## gofmt, go vet and golangci-lint
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted, run gofmt -w:"; echo "$$unformatted"; exit 1; fi
	@go vet ./...
	@command -v $(LINT) >/dev/null || { echo "no $(LINT): go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)"; exit 1; }
	@$(LINT) run ./...
