# What a user and a developer do. Needs Rust 1.95, Python 3.11, a C compiler and make; `make help` lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

PYTHON ?= python3.11
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
VENV := $(CURDIR)/.venv
TOOLS := $(TARGET)/tools
CARGO_DENY_VERSION := 0.20.2
# true: a check that cannot run is an error
CI ?= false

BIN := $(VENV)/bin
export PATH := $(TOOLS)/bin:$(PATH)

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
$(VENV)/.built: $(VENV)/.requirements $(VENV)/.commit pyproject.toml $(RUST_FILES)
	VEGASLAB_COMMIT=$$(cat $(VENV)/.commit) VIRTUAL_ENV=$(VENV) $(BIN)/maturin develop --release --locked
	touch $@

# a run's manifest names the commit it was built from; the file changes only when that does
$(VENV)/.commit: $(VENV)/.requirements ALWAYS
	@commit=$$(git describe --always --dirty --exclude='*' --abbrev=40 2>/dev/null || echo unknown); \
	[[ -f $@ && $$(cat $@) == "$$commit" ]] || echo "$$commit" >$@

.PHONY: ALWAYS
ALWAYS:

.PHONY: demo
demo: build ## the papers' claims, less of each: a report with verdicts, figures and causes
	$(BIN)/vegaslab reproduce all --quick -o results/papers

.PHONY: pictures
pictures: build ## draws the documentation's pictures anew
	$(BIN)/vegaslab compare scenarios/gallop-50mbit.toml -a vegas -a reno -o results/demo
	cp results/demo/picture.svg docs/pictures/vegas-and-reno.svg
	$(BIN)/vegaslab reproduce G-fig4-gallop L-fig2 -o results/papers-pictures
	cp results/papers-pictures/figures/gallop-fig4.svg docs/pictures/papers-gallop-fig4.svg
	cp results/papers-pictures/figures/slow-start-fig2.svg docs/pictures/papers-slow-start-fig2.svg
	PYTHONPATH=python $(BIN)/python -m documentation
	$(BIN)/vegaslab compare scenarios/tcplib-background.toml -a vegas -a reno --seeds 10 -o results/demo-seeds
	cp results/demo-seeds/picture.svg docs/pictures/vegas-and-reno-seeds.svg
	$(BIN)/vegaslab factorial scenarios/plans/vegas-phases.toml -o results/demo-phases
	cp results/demo-phases/factorial/flow.0.goodput_mbps/picture.svg docs/pictures/vegas-phases.svg

# --- the kernel's TCP: docs/linux.md ---

# what leaves vegas-linux out where it cannot be built; in CI it always is
WITHOUT_LINUX := $(if $(filter true,$(CI)),,$(shell tools/linux_ready.sh >/dev/null || echo --exclude vegas-linux))

.PHONY: linux
linux: $(VENV)/.requirements ## the command vegaslab linux: congestion controls in this machine's kernel
	@tools/linux_ready.sh
	cargo build --quiet --locked --release --package vegas-linux
	install $(TARGET)/release/vegas-linux $(BIN)/vegas-linux

TABLE5_ROUNDS ?= 5

.PHONY: linux-table5
linux-table5: build linux ## Gallop's table 5 with real sockets over two emulated paths (4 minutes a round)
	$(BIN)/vegaslab linux measure --emulate papers/gallop-table5-near --emulate papers/gallop-table5-far \
		--repeat $(TABLE5_ROUNDS) -o results/linux-table5

.PHONY: linux-packages
linux-packages: ## Debian's packages that vegas-linux needs, as root
	apt-get update --quiet --quiet
	apt-get install --quiet --quiet --yes --no-install-recommends \
		clang-22 llvm-22 libelf-dev zlib1g-dev pkg-config iproute2 >/dev/null

# --- tests ---

# what is off for users unless they ask for it, and tested here
FEATURES := --features vegas-quic/s2n

TEST_PARTS := lint-rust lint-python deny test-rust test-linux test-python check-no-std check-identical

.PHONY: test
test: ## everything
	@for part in $(TEST_PARTS); do \
		SECONDS=0; $(MAKE) --no-print-directory $$part; echo "--- $$part: $$SECONDS s"; \
	done

.PHONY: test-rust
test-rust: ## the Rust tests
	cargo test --quiet --locked --workspace $(FEATURES) --exclude vegas-py --exclude vegas-linux

# optimised: what runs in real time must be. One at a time: runs share the processors
.PHONY: test-linux
test-linux: ## the tests on this machine's own kernel, for 80 s (skipped without root or Debian's packages for it)
	@if [[ -z '$(WITHOUT_LINUX)' ]]; then \
		cargo build --quiet --locked --release --package vegas-quic-tool; \
		cargo test --quiet --locked --release --package vegas-linux -- --test-threads 1 --nocapture; \
	else \
		echo "SKIPPED: vegas-linux is not tested; $$(tools/linux_ready.sh)"; \
	fi

.PHONY: test-python
test-python: build ## the Python tests
	$(BIN)/pytest --quiet --numprocesses auto --dist loadfile

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
	VEGASLAB_QUIC_HOURS=24 cargo test --quiet --locked --release -p vegas-quic-sim --test endurance -- --nocapture

.PHONY: quic-s2n
quic-s2n: ## transfers by s2n-quic over loopback, each algorithm (builds its cryptography, some minutes)
	cd crates/vegas-quic/s2n-transfer && CARGO_TARGET_DIR=$(TARGET)/s2n cargo test --quiet --locked --release

FUZZ_SECONDS ?= 60

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZ_SECONDS each, guided by coverage; needs a C++ compiler
	tools/fuzz.sh $(FUZZ_SECONDS)

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

$(BENCH_PROGRAM): $(RUST_FILES) crates/vegas-sim/examples/run.rs
	cargo build --quiet --locked --release --package vegas-sim --example run
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
deny: ## licences and sources of the dependencies (skipped without cargo-deny)
	@if command -v cargo-deny >/dev/null || [[ $(CI) == true ]]; then \
		cargo deny --locked --log-level error check licenses bans sources; \
	else \
		echo 'SKIPPED: cargo-deny is not installed (make tools builds it), so licences of dependencies are not checked'; \
	fi

.PHONY: tools
tools: $(TOOLS)/.cargo-deny-$(CARGO_DENY_VERSION) ## cargo-deny, built from source (about a minute)

# unoptimised: the check takes a second either way, the build a fifth of the time
$(TOOLS)/.cargo-deny-$(CARGO_DENY_VERSION):
	CARGO_PROFILE_DEV_DEBUG=0 CARGO_TARGET_DIR=$(TOOLS)/target \
		cargo install cargo-deny --quiet --locked --debug --version $(CARGO_DENY_VERSION) --root $(TOOLS)
	rm -rf $(TOOLS)/target
	touch $@

.PHONY: format
format: $(VENV)/.requirements ## formats Rust and Python
	cargo fmt --all
	$(BIN)/ruff format python
	$(BIN)/ruff check --fix python

.PHONY: clean
clean: ## removes everything that was built
	cargo clean
	rm -rf $(VENV) $(TOOLS) results .mypy_cache .ruff_cache .pytest_cache
	find python -name '*.so' -delete
