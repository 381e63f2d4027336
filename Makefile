# `make demo` sets up and answers a question over examples/; `make test` runs the tests. Nothing else is needed.
PYTHON ?= python3.11
BIN := .venv/bin

.PHONY: demo test test-long lint types setup clean

setup: .venv/installed

# torch first and exact: a looser order lets another package choose a CUDA build
.venv/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade "pip>=26"
	$(BIN)/python -m pip install --quiet --no-compile torch==2.13.0
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable .
	@touch $@

.venv/installed-dev: .venv/installed
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[dev]"
	@touch $@

demo: .venv/installed
	$(BIN)/sakshya index examples/documents --rules examples/rules.yml
	$(BIN)/sakshya ask "How long do premium refunds take?"

test: .venv/installed-dev
	$(BIN)/python -m pytest

test-long: .venv/installed-dev
	$(BIN)/python -m pytest -m long

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed-dev
	$(BIN)/pyright

clean:
	rm -rf .venv .sakshya
