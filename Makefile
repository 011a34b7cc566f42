# Every target builds its own .venv from nothing; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
# two workers, so BLAS needs no threads of its own: they would wait for each other
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2
DEMO_STAMP := .venv/.stamp-demo
STAMP := .venv/.stamp
DOCS_STAMP := .venv/.stamp-docs
BENCH_STAMP := .venv/.stamp-bench
PYTEST_ARGS ?=
BENCH_ARGS ?=
FUZZ_MINUTES ?= 60
FUZZ_SEED ?= 0

.DEFAULT_GOAL := help
.PHONY: help demo test lint check fuzz bench docs clean

help:
	@echo "make demo    show what Jounce does"
	@echo "make test    run the whole test suite"
	@echo "make lint    format, lint, types and layers"
	@echo "make check   the same and the fast tests"
	@echo "make fuzz    mutate files and options (FUZZ_MINUTES=10 for less than an hour)"
	@echo "make bench   run the benchmarks (BENCH_ARGS=name for one)"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove .venv and everything that was built"

$(DEMO_STAMP): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Jounce needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[plot,report]'
	@touch $@

$(STAMP): $(DEMO_STAMP)
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --group bench
	@touch $@

demo: $(DEMO_STAMP)
	$(BIN)/jounce show panda
	$(BIN)/python examples/00_demo.py demo/report.html
	$(BIN)/python examples/02_torque_rates.py demo/torque_rates.png

test: $(STAMP)
	$(PYTEST) $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright --project pyproject.toml
	$(BIN)/lint-imports

check: lint
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(FUZZ_MINUTES) --first $(FUZZ_SEED)

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

docs: $(DOCS_STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "open site/index.html"

clean:
	rm -rf .venv build demo dist site .pytest_cache .ruff_cache .import_linter_cache .hypothesis .benchmarks
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
