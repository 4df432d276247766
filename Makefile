# Every target does its own set-up in .venv, once, and again when a pyproject.toml has changed. The tests, lint and the
# guide are those of both distributions: puselect in src, puselect-paper in paper.
# Needed: Python 3.11 or later, and make. Another Python: make test PYTHON=python3.13

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?=
DOCS_ARGS ?=
FUZZ_SECONDS ?= 60
FUZZ_ARGS ?=
PYTHONS ?=
TORCH ?= torch==2.13.0 triton
# Those of the group `test`; named, so that the oldest versions of what they need are taken, too.
EXTRAS := cli,dask,fastcan,lightgbm,plot
NOTEBOOKS := docs/gallery/a_messy_export.ipynb docs/gallery/a_classifier.ipynb
VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
# What the environment was made for; a copied checkout or another Python makes a new one.
ORIGIN := $(CURDIR) $(shell $(PYTHON) -c 'import sys; print(sys.version)' 2>/dev/null | tr -d '\n')

.DEFAULT_GOAL := help
.PHONY: help demo test test-torch test-oldest fuzz golden lint docs rehearse lock bench reproduce-quick clean python

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' Makefile

demo: setup-cli ## select features on artificial and real data, and see how good they are
	@$(BIN)/puselect demo

test: setup-test setup-paper ## run the tests and the examples in docstrings (PYTEST_ARGS="-k search")
	@$(BIN)/python -m pytest -n 2 $(PYTEST_ARGS)

test-torch: setup-test ## the GPU engine's tests, where there is no GPU on the CPU (installs torch: gigabytes on some systems)
	@$(BIN)/python -c 'import torch, triton' 2>/dev/null || { echo "installing $(TORCH)"; \
	  $(BIN)/python -m pip install -qq --disable-pip-version-check $(TORCH); }
	@$(BIN)/python -c 'import torch, triton; print("torch", torch.__version__, "Triton", triton.__version__)'
	@$(BIN)/python -m pytest -rs tests/test_clustering_gpu.py tests/test_clustering_gpu_kernels.py tests/test_fscpu_fit_many.py

# Old libraries use what is deprecated in the libraries they need, of which these are the newest.
test-oldest: python ## run the tests with the oldest versions of the libraries that pyproject.toml allows
	@test "$$(cat $(OLDEST)/.stamp 2>/dev/null)" = "$(ORIGIN) $$(cat pyproject.toml paper/pyproject.toml | cksum)" || { \
	  echo "installing the oldest versions into $(OLDEST)"; \
	  $(PYTHON) -m venv --clear $(OLDEST) && $(OLDEST)/bin/python -m pip install -qq --disable-pip-version-check uv \
	  && $(OLDEST)/bin/uv pip install -q --python $(OLDEST)/bin/python --resolution lowest-direct --editable ".[$(EXTRAS)]" --editable ./paper --group test \
	  && echo "$(ORIGIN) $$(cat pyproject.toml paper/pyproject.toml | cksum)" > $(OLDEST)/.stamp; }
	@$(OLDEST)/bin/python -m pytest -n 2 -W ignore::DeprecationWarning -W ignore::FutureWarning $(PYTEST_ARGS)

fuzz: setup-test setup-paper ## try odd inputs of every kind for a minute (FUZZ_SECONDS=600, FUZZ_ARGS="--seed 7 --classes fits")
	@$(BIN)/python tests/fuzz --seconds $(FUZZ_SECONDS) $(FUZZ_ARGS)

golden: setup-test setup-paper ## compare results bit for bit with those of the first run on this machine (build/golden.npz)
	@$(BIN)/python tests/golden.py

lint: setup-lint ## ruff and mypy
	@$(BIN)/python -m ruff check .
	@$(BIN)/python -m mypy

docs: setup-docs setup-paper ## build the guide, run its examples and two of them as notebooks; a warning is an error (DOCS_ARGS="-D plot_gallery=0": notebooks only)
	@rm -rf build/docs build/doctrees docs/gallery docs/generated
	@$(BIN)/python -m sphinx -q -W --keep-going -d build/doctrees $(DOCS_ARGS) docs build/docs
	@$(BIN)/jupyter-execute $(NOTEBOOKS)
	@echo "the guide is in build/docs/index.html"

rehearse: python ## build a release, check it, and use it in an empty environment of each Python at hand
	@$(PYTHON) docs/rehearse.py $(PYTHONS)

lock: setup-venv ## renew uv.lock, which pins what `uv sync` installs for developers
	@$(BIN)/python -m pip install -qq --disable-pip-version-check uv
	@$(BIN)/uv lock --upgrade --default-index https://pypi.org/simple

bench: setup-puselect ## measure the speed against scikit-learn (BENCH_ARGS="--quick")
	@$(BIN)/python benchmarks/bench.py $(BENCH_ARGS)

reproduce-quick: setup-paper ## all methods in small studies: does everything run? (report in build/reproduce-quick)
	@rm -rf build/reproduce-quick
	@$(BIN)/puselect reproduce quick --folder build/reproduce-quick

clean: ## remove the environment and everything that was generated
	rm -rf $(VENV) $(OLDEST) build dist docs/gallery docs/generated .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -path ./.git -prune -o -type d -name __pycache__ -exec rm -rf {} +

# Two BLAS threads on two busy cores are many times slower than one.
test test-torch test-oldest fuzz docs bench reproduce-quick: export OMP_NUM_THREADS = 1
test test-torch test-oldest fuzz docs bench reproduce-quick: export OPENBLAS_NUM_THREADS = 1
test test-torch test-oldest fuzz docs bench reproduce-quick: export MKL_NUM_THREADS = 1

# The tests start hundreds of Pythons that import the package: they read it compiled.
test test-torch test-oldest fuzz: export PYTHONDONTWRITEBYTECODE =

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "puselect needs Python 3.11 or later, but $(PYTHON) is: $$($(PYTHON) --version 2>&1 | head -n 1)." \
	    "Name another one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) lacks the venv module; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# Holds a lock on this Makefile for as long as the command that follows it lives, so that two makes
# started side by side do not install into the same environment at the same time.
LOCKED = $(PYTHON) -c 'import fcntl, os, sys; lock = os.open("Makefile", os.O_RDWR); \
  os.set_inheritable(lock, True); fcntl.flock(lock, fcntl.LOCK_EX); os.execvp(sys.argv[1], sys.argv[1:])'

# .installing outlives only an installation that failed or was interrupted: then the environment is made anew.
setup-%: python
	@+$(LOCKED) sh -c 'test ! -e $(VENV)/.installing \
	  && test "$$(cat $(VENV)/.stamp-venv 2>/dev/null)" = "$(ORIGIN)" || rm -f $(VENV)/.stamp-*; \
	  exec $(MAKE) --no-print-directory --silent $(VENV)/.stamp-$*'

$(VENV)/.stamp-venv:
	echo "creating $(VENV) with $(PYTHON)"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install -qq --disable-pip-version-check "pip>=25.1"
	echo "$(ORIGIN)" > $@

# Installs $(1), and leaves the stamp $@ with the time at which it began.
INSTALL = touch $(VENV)/.installing && $(BIN)/python -m pip install -qq --disable-pip-version-check $(1) \
  && mv $(VENV)/.installing $@

$(VENV)/.stamp-puselect: pyproject.toml | $(VENV)/.stamp-venv
	echo "installing puselect and its dependencies into $(VENV)"
	$(call INSTALL,--editable .)

$(VENV)/.stamp-paper: paper/pyproject.toml | $(VENV)/.stamp-puselect
	echo "installing puselect-paper and its dependencies into $(VENV)"
	$(call INSTALL,--editable ./paper)

# The project is installed already; these add libraries, and do not disturb a running test.
$(VENV)/.stamp-cli: $(VENV)/.stamp-puselect
	echo "installing the extra: cli"
	$(call INSTALL,"puselect[cli]")

$(VENV)/.stamp-%: $(VENV)/.stamp-puselect
	echo "installing the dependency group: $*"
	$(call INSTALL,--group $*)
