# Everything a developer runs. `make` alone prints the list.
# The environment lives in .venv and is renewed whenever pyproject.toml changes.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

# Set PYTHON=/path/to/python to choose the interpreter; otherwise the newest of these that works is taken.
PYTHON ?=
CANDIDATES := python3.14 python3.13 python3.12 python3.11 python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
WITH := .venv-adapters
ADAPTED := $(WITH)/.installed
ASYNC := -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function -o asyncio_default_test_loop_scope=function

.PHONY: help setup demo test check lint format types contracts adapters bench docs requirements clean

help: ## this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sort | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 24

setup: $(STAMP) ## the environment in .venv

$(PY):
	@usable() { "$$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }; \
	for candidate in $(or $(PYTHON),$(CANDIDATES)); do \
	    if usable "$$candidate"; then echo "environment: .venv from $$candidate"; exec "$$candidate" -m venv $(VENV); fi; \
	done; \
	echo 'no usable Python found (tried: $(or $(PYTHON),$(CANDIDATES)))' >&2; \
	echo 'Muniment needs Python 3.11 or newer with the venv module (on Debian: apt-get install python3-venv);' >&2; \
	echo 'name one with: make PYTHON=/path/to/python' >&2; \
	exit 1

$(STAMP): pyproject.toml | $(PY)
	@$(PY) -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(PY) -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: $(STAMP) ## learn this repository, review, ask it a question
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" bash demo/run.sh

test: check ## check, then the whole test suite, then the requirements
	@$(PY) -m tools.suite
	@$(PY) -m tools.requirements --quiet

adapters: $(ADAPTED) ## test the adapters with the libraries that they are for, in .venv-adapters
	@$(WITH)/bin/python -m pytest -q $(ASYNC) tests/adapters

$(ADAPTED): pyproject.toml $(STAMP)
	@test -x $(WITH)/bin/python || $(PY) -m venv $(WITH)
	@$(WITH)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(WITH)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[anthropic,langchain,langgraph]' --group adapters
	@touch $@

check: lint format types contracts ## lint, format, types, import contracts

lint: $(STAMP)
	@$(VENV)/bin/ruff check --quiet .

format: $(STAMP)
	@$(VENV)/bin/ruff format --quiet --check . || { $(VENV)/bin/ruff format --check .; exit 1; }

types: $(STAMP)
	@$(VENV)/bin/mypy --no-error-summary

contracts: $(STAMP)
	@COLUMNS=200 $(VENV)/bin/lint-imports --no-logo --no-cache >$(VENV)/contracts.log || { cat $(VENV)/contracts.log; exit 1; }

bench: $(STAMP) ## measurements, each as JSON
	@$(PY) -m bench

docs: $(STAMP) ## rewrite the generated parts of the documentation
	@$(PY) -m tools.gendocs

requirements: $(STAMP) ## each requirement with the tests that carry it
	@$(PY) -m tools.requirements

clean: ## remove the environment and all caches
	@rm -rf $(VENV) .demo $(WITH) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
