# Targets for people; .ci/run uses the same ones. `make` alone lists them.

# Where the server of `make run` listens and stores, and its further flags.
LISTEN ?= 127.0.0.1:8080
DATA   ?= ./data
ARGS   ?=

# The OpenSSH key that signs a release, if one is to.
KEY ?=

# How long each fuzz target, and the torture of the store, runs.
FUZZTIME ?= 30s
TORTURE  ?= 10m

# A short measurement, whose page goes to bin/bench/; and up to how many stored
# messages a whole one goes beyond a million on the embedded store (ten million take a
# quarter of an hour more, and 10 GB of disk).
BENCH_QUICK  ?=
BENCH_STORED ?=

# What bench-ratchet compares: a commit with another, or with the tree as it is (HEAD is
# empty). SCENARIOS picks some of what it measures, and RELEASE names the version whose
# figures are kept.
BASE      ?= $(shell git merge-base HEAD main)
HEAD      ?=
SCENARIOS ?=
RELEASE   ?=

# How many messages bench-scale stores at the most, and the part of a core that each of its servers gets.
SCALE_STORED ?= $(if $(BENCH_QUICK),,10000000)
SCALE_CORES  ?= 0.5

# How long soak uses a server on each store, and on which.
SOAK        ?= $(if $(BENCH_QUICK),quick,1h)
SOAK_STORES ?= embedded postgresql

# Which benchmarks of packages run, and for how long each.
BENCH     ?= .
BENCHTIME ?= 1s

.DEFAULT_GOAL := help

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

# The tag leaves out 1.4 MB of PostgreSQL's driver that nothing needs (docs/dependencies.md).
.PHONY: build
build: pages ## build bin/signet: one static file, the same bytes for the same sources
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -tags=nopgxregisterdefaulttypes -o bin/signet ./cmd/signet

.PHONY: build-bench
build-bench: ## build bin/signet-bench, the load generator
	CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o bin/signet-bench ./cmd/signet-bench

# What is published. Its tools are in a module of their own, which Go downloads the first time.
.PHONY: release
release: pages ## make packages, image and archives of the last commit in bin/release (KEY=FILE: signed)
	go -C deploy/release run ./licenses -check "$(CURDIR)"
	go -C deploy/release run . build -out "$(CURDIR)/bin/release" $(if $(KEY),-key "$(abspath $(KEY))") "$(CURDIR)"

# The second time everything is compiled anew, on another path, so that nothing of the
# first is taken from Go's cache.
.PHONY: check-reproducible
check-reproducible: ## make a release of the last commit twice, on two paths, and compare the files
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	git clone -q . "$$dir/one"; git clone -q . "$$dir/a longer/path to/two"; \
	$(MAKE) -s -C "$$dir/one" release build-bench KEY=; \
	GOCACHE="$$dir/cache" $(MAKE) -s -C "$$dir/a longer/path to/two" release build-bench KEY=; \
	cmp "$$dir/one/bin/signet-bench" "$$dir/a longer/path to/two/bin/signet-bench"; \
	diff -r "$$dir/one/bin/release" "$$dir/a longer/path to/two/bin/release"; \
	echo "these files are twice the same:"; cat "$$dir/one/bin/release/SHA256SUMS"

.PHONY: sbom
sbom: build ## list what bin/signet is made of as CycloneDX, in bin/signet.cdx.json
	go run ./deploy/sbom bin/signet >bin/signet.cdx.json

# The TypeScript client, its package, and its tests. Nothing is installed or compiled
# whose inputs have not changed.
WEB = web/node_modules/.package-lock.json
TSC = web/node_modules/typescript-7/bin/tsc

$(WEB): web/package.json web/package-lock.json web/.npmrc
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js 20 or later with npm" >&2; exit 1; }
	npm --prefix web ci --no-audit --no-fund --loglevel=error
	@touch $@

web/src/client/schema.ts: openapi/v2.yaml web/generate.mjs $(WEB)
	cd web && node generate.mjs ../openapi/v2.yaml src/client/schema.ts

CLIENT = web/build/client/package.json
$(CLIENT): $(wildcard web/src/client/*) web/src/client/schema.ts web/tsconfig.json $(WEB)
	rm -rf web/build/client
	$(TSC) -p web/src/client
	cp web/src/client/package.json LICENSE web/build/client
	@touch $@

# The pages, which are embedded in the program. It can be built without them.
PAGES = web/dist/gzip/index.html
$(PAGES): $(shell find web/src -type f) $(wildcard docs/api/*.md web/*.mjs) $(WEB) web/src/client/schema.ts
	$(TSC) -p web/src
	$(TSC) -p web/src/worker
	cd web && node bundle.mjs

.PHONY: pages
pages:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(PAGES); \
		else echo "npm is missing: building without the pages; install Node.js 20 or later to have them" >&2; fi

.PHONY: client
client: $(CLIENT) ## build the TypeScript client's package in bin/, for npm install
	@mkdir -p bin && rm -f bin/signet-client-*.tgz
	cd bin && npm pack --silent ../web/build/client

.PHONY: run
run: build ## start a server on 127.0.0.1:8080 that stores in ./data
	./bin/signet serve --listen "$(LISTEN)" --data "$(DATA)" $(ARGS)

# What runs on PostgreSQL as well: the tests of the rooms above the store, and those of the pages that show what it finds,
# sorts and counts. How a page looks, what it keeps, and what it does with what it has is the same wherever that comes from.
ON_BOTH = ./docs/api ./internal/api ./internal/backlog ./internal/clientreplay ./internal/service/metamorphic
PAGES_ON_BOTH = administrator auditor calls console cuts directory failures files first-day first-start forward found \
	frames groups import keys life lifetimes manage-group meanwhile namesakes notes organizations overview people \
	person reply requests story stuck ward

# Specs of the pages that make test leaves to make test-all: most of the time for a third of the specs.
LONG_PAGES = above administrator auditor brand code docs elevation first-start found heard history hostile import keys \
	life meanwhile memory notices outage overview person policies reply rotas sealed settings truth turns views

# What the tests run, and start servers of. It is built before they run, once for all of them.
.PHONY: test-servers
test-servers: build build-bench client
	@internal/store/postgrestest/install.sh
	@internal/e2e/haproxytest/install.sh
	@web/tests/install.sh
	@mkdir -p bin/tests
	CGO_ENABLED=0 go build -o web/build/stage ./web/tests/stage
	go -C internal/testenv/gotestsum tool -n gotestsum >/dev/null

# What only the longest tests run, which takes some minutes to build for the first time.
.PHONY: test-tools
test-tools: test-servers
	@deploy/installtest/install.sh
	CGO_ENABLED=0 go -C internal/blob/s3test/gateway tool -n versitygw >/dev/null
	CGO_ENABLED=0 go -C openapi/generatortest tool -n oapi-codegen >/dev/null
	CGO_ENABLED=0 go -C internal/promtest/evaluator tool -n evaluator >/dev/null
	CGO_ENABLED=0 go -C internal/openid/openidtest/provider tool -n provider >/dev/null
	CGO_ENABLED=0 go -C deploy/helm/charttest build -o /dev/null .
	go -C deploy/release build -o /dev/null ./...

test test-all test-race test-pages torture torture-standby bench-pages: export SIGNET_TEST_PROGRAM = $(CURDIR)/bin/signet
test test-all test-race torture bench bench-ratchet bench-scale soak: export SIGNET_TEST_BENCH = $(CURDIR)/bin/signet-bench

# The race detector watches every line of ours. It leaves out SQLite's C, which came to Go by
# a compiler and is most of what the tests run, and what shares nothing: the standard library's
# compression, most of what the tests of archives run, and Argon2, whose 32 MiB a password
# would each be watched byte by byte.
RACE = -race $(foreach of,modernc.org/... compress/... golang.org/x/crypto/argon2,-gcflags=$(of)=-race=false)

# Tests of internal/api that make thousands of calls, nearly all one after the other. Under the race detector they took
# ten times their time, three quarters of the package's, and it would see in them what other tests show it.
WALKS = AHistoryEndsAtFourMebibytes ALongAnswerIsWrittenAsItIsRead ANoteNamesTwentyOfMany \
	AnAnswerOfEventsEndsAtFourMebibytes APollReadsNoMoreThanItAnswers ArchiveHasTheMessagesThatHistoryShows \
	ArchiveOfALargeAccountTakesLittleMemory AStreamReplaysAQueueInPieces AuthorizationMatrix \
	AuthorizationMatrixBySession HistoryAndCallTwelveAgree \
	LimitOfGroupMembers ListsOfManyEndTheirPages ManyPeopleThatCannotBeMadeAtAll NoStatementTellsWhatExists \
	StoreDoesNotGrowInNinetyDays TextThatLooksLikeSQLIsText WhatIsNoTextIsRefusedInEveryPlaceOfEveryRoute
EACH_WALK = '^Test($(subst $(empty) ,|,$(strip $(WALKS))))$$'

# How long the tests of one package may take. Go's ten minutes are over on a machine that is
# half as fast and has other work.
TIMEOUT = -timeout 40m

# Many tests wait for the disk or for a process. With as many packages at a time as there are cores, a fifth of the
# time of the cores was nobody's.
PACKAGES = -p $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

# gotestsum runs `go test` and keeps how long each test took, in bin/tests; $(1) names the file.
# What go vet says is said by `make check`. The tag is that of `make build`, whose program is tested.
GOTEST = $$(go -C internal/testenv/gotestsum tool -n gotestsum) --format standard-quiet --hide-summary=skipped \
	--jsonfile bin/tests/$(1).json -- -vet=off -tags=nopgxregisterdefaulttypes $(TIMEOUT) $(PACKAGES)

# Playwright's tests of the pages, with what it says of them in bin/tests; $(1) names the file.
empty :=
FIRST = '/tests/(client/)?(?!($(subst $(empty) ,|,$(strip $(LONG_PAGES))))\.spec)[a-z-]+\.spec'
EITHER = '/($(subst $(empty) ,|,$(strip $(PAGES_ON_BOTH))))\.spec'
PLAYWRIGHT = PLAYWRIGHT_JSON_OUTPUT_FILE="$(CURDIR)/bin/tests/$(1).json" web/node_modules/.bin/playwright test -c web/tests

# What takes longest is left to test-all: in Go what says so (testenv.Long), the second engine of what is above the
# store, the pages of LONG_PAGES, and the race detector, with which everything takes two to ten times as long.
.PHONY: test
test: test-servers ## run what a change has to pass: all tests but the longest, in ten minutes
	@rm -f bin/tests/*.json
	set -ex; $(call GOTEST,go) -short ./...; $(call PLAYWRIGHT,pages) $(FIRST)

# On PostgreSQL the same code runs again, which the race detector has watched, and the store
# with the tests of its own: there it would cost twice the time. `make test-race` has it too.
#
# The race detector is the only thing here that needs a C compiler. Where it
# cannot work, the tests are run without it rather than not at all.
.PHONY: test-all
test-all: test-tools ## run every test, with the race detector where the machine can: an hour
	@rm -f bin/tests/*.json
	@if go test -race -run '^$$' errors >/dev/null 2>&1; then race="$(RACE)"; else race=; \
		echo "the race detector does not work here (it needs a C compiler such as gcc): testing without it" >&2; fi; \
	set -ex; $(call GOTEST,go) $$race -skip $(EACH_WALK) ./...; $(call GOTEST,go-walks) -run $(EACH_WALK) ./internal/api; \
	SIGNET_TEST_ENGINE=postgres $(call GOTEST,go-postgres) $(ON_BOTH); \
	$(call PLAYWRIGHT,pages); SIGNET_TEST_ENGINE=postgres $(call PLAYWRIGHT,pages-postgres) $(EITHER)

.PHONY: test-race
test-race: test-tools ## run every test with the race detector, or fail
	@rm -f bin/tests/*.json
	$(call GOTEST,go) $(RACE) ./...
	SIGNET_TEST_ENGINE=postgres $(call GOTEST,go-postgres) $(RACE) $(ON_BOTH)
	$(call PLAYWRIGHT,pages)
	SIGNET_TEST_ENGINE=postgres $(call PLAYWRIGHT,pages-postgres) $(EITHER)

.PHONY: test-pages
test-pages: test-servers ## run the tests of the pages in a browser; ARGS=--ui to watch, ARGS=story to run a file
	$(call PLAYWRIGHT,pages) $(ARGS)

# Without what waits for browsers, processes and other servers.
SLOW = e2e|app|cli|benchcli|transfer|clientreplay|load|store/postgres|store/enginetest|seal/pgring|live/natsbus|live/pgbus|blob|testenv.*
.PHONY: test-fast
test-fast: ## run the tests of the inner loop: no browser, no second engine, no end-to-end, none of the longest
	go test -short $$(go list ./... | grep -vE '/internal/($(SLOW))$$|/bench$$|/deploy(/installtest|/helm)?$$|/docs/api$$')

.PHONY: test-report
test-report: ## list what failed in the last `make test` or `make test-all`, what took longest, and what passed at a second try only
	@go run ./internal/testenv/report bin/tests/*.json

.PHONY: check
check: check-format check-vet check-static check-complexity check-modules check-generated check-openapi check-web check-commits ## run every check but the tests

.PHONY: check-format
check-format:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted, run gofmt -w:" >&2; echo "$$files" >&2; exit 1; fi

.PHONY: check-vet
check-vet:
	go vet ./...
	go -C deploy/release vet ./...
	CGO_ENABLED=0 go -C internal/promtest/evaluator vet ./...
	CGO_ENABLED=0 go -C internal/openid/openidtest/provider vet ./...

.PHONY: check-static
check-static:
	go tool staticcheck ./...
	tool=$$(go tool -n staticcheck) && cd deploy/release && "$$tool" ./...

# More than 20 ways through a function are more than a reader keeps in mind, or a test goes.
.PHONY: check-complexity
check-complexity:
	go tool gocyclo -over 20 -ignore '(^|/)(node_modules|third_party)/' .

.PHONY: check-modules
check-modules:
	go mod tidy -diff
	go -C deploy/release mod tidy -diff
	go -C internal/promtest/evaluator mod tidy -diff
	go -C internal/openid/openidtest/provider mod tidy -diff

# This, the next and the TypeScript client need Node.js (20.19 or later).
.PHONY: check-openapi
check-openapi:
	@command -v npm >/dev/null || { echo "npm is missing: install Node.js, which checks openapi/v2.yaml" >&2; exit 1; }
	npm --prefix openapi/lint ci --no-audit --no-fund --loglevel=error
	npm --prefix openapi/lint run --silent lint

# Compiling is the check: it is strict, and nothing is made where a type is wrong. The tests of the pages are held to
# Playwright's own rules too: nothing is found by its place, and nobody waits for a time. The modules of the pages import
# each other in no circle, and not across pages.
.PHONY: check-web
check-web: $(CLIENT) pages
	$(TSC) -p web/tests
	cd web && node_modules/.bin/eslint --max-warnings 0 tests src

# Compares the tree before and after, so that it works amid uncommitted changes.
.PHONY: check-generated
check-generated: $(WEB)
	@set -e; \
	git rev-parse --git-dir >/dev/null; \
	tree() { git diff HEAD; git ls-files -z --others --exclude-standard | xargs -0 -r cksum; }; \
	before=$$(tree | cksum); \
	echo "go generate ./..."; go generate ./...; \
	if [ "$$before" != "$$(tree | cksum)" ]; then \
		git --no-pager diff --stat; \
		echo "generated files were out of date; now they are not: commit them" >&2; \
		exit 1; \
	fi

# Passes where the history is not there, as in a shallow clone.
.PHONY: check-commits
check-commits:
	go run ./internal/testenv/commits

# On a machine that does nothing else: the time of a call is what it looks at.
.PHONY: slow
slow: ## what 200 slow clients cost the others: the 99th percentile is to be under 200 ms
	go test ./internal/e2e -run TestSlowClients -count=1 -v -args -slow.p99=200ms

# Asks vuln.go.dev what is known of the modules, so it needs the internet.
.PHONY: vuln
vuln: ## look for known weaknesses in the code that the program calls
	go tool govulncheck ./...

.PHONY: generate
generate: ## write all generated files again
	go generate ./...

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (30s)
	@set -e; for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

# It needs PostgreSQL on the machine, as the tests do, and nothing else that works.
.PHONY: bench
bench: build-bench ## measure the server on both stores and write docs/performance.md: half an hour (BENCH_QUICK=1: some minutes, to bin/bench)
	SIGNET_BENCH=$(if $(BENCH_QUICK),quick,full) SIGNET_BENCH_STORED=$(BENCH_STORED) \
		SIGNET_BENCH_OUT="$(CURDIR)/$(if $(BENCH_QUICK),bin/bench,docs)" go test -count=1 -timeout 0 -v -run '^TestBench$$' ./bench

# The table is printed at the end, whatever the verdict is.
.PHONY: bench-ratchet
bench-ratchet: build-bench ## compare what the tree costs with what BASE does, in turn: ten minutes (HEAD=COMMIT, SCENARIOS='send ack')
	@rm -f bin/bench/ratchet.md
	@test -n "$(BASE)" || { echo "name the commit to compare with: make bench-ratchet BASE=COMMIT" >&2; exit 1; }
	@status=0; SIGNET_BENCH_BASE="$(BASE)" SIGNET_BENCH_HEAD="$(HEAD)" SIGNET_BENCH_SCENARIOS="$(SCENARIOS)" \
		SIGNET_BENCH_RELEASE="$(RELEASE)" SIGNET_BENCH_OUT="$(CURDIR)/bin/bench" \
		go test -count=1 -timeout 0 -v -run '^TestRatchet$$' ./bench || status=$$?; \
	if [ -e bin/bench/ratchet.md ]; then echo; cat bin/bench/ratchet.md; fi; exit $$status

.PHONY: bench-scale
bench-scale: build-bench ## measure several servers on one PostgreSQL, and one with SCALE_STORED messages: forty minutes (BENCH_QUICK=1: seconds)
	SIGNET_BENCH_SCALE=$(if $(BENCH_QUICK),quick,full) SIGNET_BENCH_SCALE_STORED=$(SCALE_STORED) \
		SIGNET_BENCH_SCALE_CORES=$(SCALE_CORES) SIGNET_BENCH_OUT="$(CURDIR)/bin/bench" \
		go test -count=1 -timeout 0 -v -run '^TestScale$$' ./bench
	@cat bin/bench/scale.md

.PHONY: soak
soak: build-bench ## use a server for SOAK (1h) at half of its greatest rate, on SOAK_STORES, and fail if anything grows (BENCH_QUICK=1: seconds)
	SIGNET_BENCH_SOAK=$(SOAK) SIGNET_BENCH_SOAK_STORES="$(SOAK_STORES)" SIGNET_BENCH_OUT="$(CURDIR)/bin/bench" \
		go test -count=1 -timeout 0 -v -run '^TestSoak$$' ./bench

.PHONY: bench-handover
bench-handover: build build-bench ## measure how long clients wait while the program is replaced: half a minute (RATE=2000, TIMES=5, ARGS='--database URL')
	@bench/handover

# It needs a machine that does nothing else, and room for two stores of a million messages.
.PHONY: bench-standby
bench-standby: ## measure a standby of the embedded store: its cost, what is lost with the first, its promotion
	SIGNET_BENCH_STANDBY=full go test -count=1 -timeout 0 -v -run '^TestStandby$$' ./bench

.PHONY: bench-pages
bench-pages: test-servers ## measure the pages in a browser: half an hour; ARGS=search for one file
	web/node_modules/.bin/playwright test -c web/tests/speed.config.ts $(ARGS)

.PHONY: bench-go
bench-go: ## run the benchmarks of packages that match BENCH (all) for BENCHTIME (1s) each
	go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem ./...

.PHONY: torture
torture: test-servers ## kill and restart a busy server for TORTURE (10m), and its database for an hour
	@internal/e2e/patronitest/install.sh
	SIGNET_TEST_TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v -run Torture -skip 'TortureFailovers|TorturePair' ./...
	SIGNET_TEST_TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v -run TortureFailovers ./internal/e2e
	SIGNET_TEST_TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v -run TorturePair ./internal/e2e
	SIGNET_TEST_TORTURE=$(TORTURE) $(call PLAYWRIGHT,torture) client/cuts

.PHONY: torture-standby
torture-standby: test-servers ## kill a server and its standby, cut them off, and change their roles, 300 times: half an hour
	SIGNET_TEST_TORTURE=$(TORTURE) go test -count=1 -timeout 0 -v -run TorturePair ./internal/e2e
