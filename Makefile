# Needs make, Python 3.11 or newer with its venv module, and the network once. Everything else is made in .venv.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo demo-standards kit-check test screenshots faults chaos oracles tamperings bench bench-normalize bench-impact bench-bump ui check lock clean

BIN    := .venv/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check
# One more than two cores: tests of running daemons mostly wait, and work that is left is taken over by who is free.
JOBS   ?= 3
PORT   ?= 3000
ARGS   ?=
# 3.11 first: it is the version the lock file was tried on. A candidate counts only if it can make a virtual environment.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
            $$p -c '$(USABLE)' 2>/dev/null && echo $$p && exit; done; echo python3)

# Everything the platform writes: the store, Dagster's instance home, reports. Absolute, so that a daemon's children agree.
# Tests are not told of it: they make homes of their own.
MRV_HOME ?= $(CURDIR)/.mrv
demo ui: export MRV_HOME := $(MRV_HOME)
# dagster.yaml says so too, but some commands run without an instance home.
export DAGSTER_DISABLE_TELEMETRY := yes
# A backfill waits for a code server that is restarting, instead of failing as a whole.
ui: export DAGSTER_BACKFILL_RETRY_DEFINITION_CHANGED_ERROR := yes

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

demo: .venv/.installed ## replay the Twin Cities electricity inventory, release by release; a second run skips everything
	@$(BIN)/mrv demo $(ARGS)

# Rule sets and warming potentials are the committed ones; project, boundary, factors and landing files are the example's.
FOREST := examples/planted-forest
FOREST_HOME ?= $(CURDIR)/.mrv-standards
demo-standards: export MRV_HOME := $(FOREST_HOME)
demo-standards: export MRV_REFERENCE := $(FOREST_HOME)/reference
demo-standards: export MRV_LANDING := $(CURDIR)/$(FOREST)/landing
demo-standards: .venv/.installed ## a planted forest under VM0047 and Gold Standard side by side, from plots to whole credits
	@mkdir -p "$(FOREST_HOME)/reference"
	@cp -R reference_data/gwp reference_data/standards $(FOREST)/reference/. "$(FOREST_HOME)/reference"
	@$(BIN)/mrv run planted-forest 2025
	@$(BIN)/mrv standards assess planted-forest 2025 --expect $(FOREST)/expected.toml --plot "$(FOREST_HOME)/planted-forest.svg"

test: .venv/.installed ## run the tests; ARGS='-m "not slow" -k ledger' chooses among them
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal $(ARGS)

# Five of the pictures are those of docs/; the others, and what failed, stay in build/.
SHOTS := build/screenshots
screenshots: .venv/.installed ## click through Dagit in Chromium and renew docs/pictures/dagit-*.png; all pictures are in build/screenshots
	@rm -rf $(SHOTS)
	@MRV_ARTIFACTS="$(CURDIR)/$(SHOTS)" $(BIN)/python -m pytest mrv_assets_tests/browser $(ARGS)
	@cp $(SHOTS)/dagit-*.png docs/pictures

faults: .venv/.installed ## break the store in every way, print what was found; ARGS='storm commit-sigkill' chooses among the scenarios
	@$(BIN)/python -m mrv_assets_tests.faults $(ARGS)

chaos: .venv/.installed ## kill Dagster's daemon, code server and workers during backfills, print what was found; ARGS='worker cursors'
	@$(BIN)/python -W ignore -m mrv_assets_tests.chaos $(ARGS)

kit-check: .venv/.installed ## unpack a kit where only the locked libraries are, and make its figure again; ARGS='metc-anoka 2021'
	@$(BIN)/python -m mrv_assets_tests.kit_check "$(MRV_HOME)" $(ARGS)

oracles: .venv/.installed ## print every number that somebody else has printed beside ours; all have to be equal
	@$(BIN)/python -m mrv_assets_tests.oracles

tamperings: .venv/.installed ## alter a certificate in every way and print as what each one was detected
	@$(BIN)/python -m mrv_assets_tests.tamperings

# Beside other work the clock says little; processor time is printed with it.
bench: .venv/.installed ## a window of 100 and 1,200 small partitions, made and left alone; ARGS='--many 300 --flows 0'
	@$(BIN)/python -W ignore::FutureWarning -m benchmarks.window $(ARGS)

bench-normalize: .venv/.installed ## a million parcels through activity and normalised, beside plain geopandas; ARGS='--polygons 8000000 --only-ours'
	@$(BIN)/python -m benchmarks.normalize $(ARGS)

bench-impact: .venv/.installed ## preview a factor bump over 10,000 partitions, and where the time goes; ARGS='--memory --rows 100'
	@$(BIN)/python -m benchmarks.impact --steps $(ARGS)

bench-bump: .venv/.installed ## bump 100 partitions of many polygons, as a share of computing everything; ARGS='--partitions 20 --rows 2000'
	@$(BIN)/python -W ignore::FutureWarning -m benchmarks.bump $(ARGS)

ui: .venv/.installed ## serve Dagster's webserver and daemon on the demo's instance, http://127.0.0.1:3000 (PORT=...)
	@$(BIN)/mrv init
	@DAGSTER_HOME="$$(cd "$$MRV_HOME" && pwd)/dagster" && export DAGSTER_HOME \
	    && echo "Dagster on http://127.0.0.1:$(PORT) with home $$DAGSTER_HOME (Ctrl-C ends it)" \
	    && exec $(BIN)/python -W ignore::FutureWarning -m dagster dev -w workspace.yaml -h 127.0.0.1 -p $(PORT)

check: .venv/.installed ## style, types, import rules, definitions load, docs match the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -W ignore::FutureWarning -m dagster definitions validate -w workspace.yaml
	$(BIN)/mrv docs --check
	$(BIN)/pip check

lock: ## write requirements.lock anew from pyproject.toml; ARGS=--upgrade takes newer releases
	@test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet uv==0.13.9; }
	.venv-lock/bin/uv pip compile pyproject.toml --group dev --output-file requirements.lock $(ARGS) \
	    --universal --python-version 3.11 --fork-strategy fewest --generate-hashes --no-strip-extras \
	    --no-emit-index-url --no-emit-find-links --no-header --quiet

clean: ## remove the virtual environments, caches and builds; leaves .mrv (what was published) alone
	rm -rf .venv .venv-lock .venv-prefect .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Two stamps, so that an edit of pyproject.toml costs seconds, and a package that left the lock file leaves .venv as well.
# pip says a thousand lines here: they go to the log, a line now and then to the terminal.
.venv/.locked: requirements.lock
	@$(PYTHON) -c '$(USABLE)' 2>/dev/null || { \
	    echo "Needs Python 3.11 or newer with its venv module; '$(PYTHON)' is $$($(PYTHON) --version 2>&1 | head -n 1)." >&2; \
	    echo "Debian, Ubuntu: apt-get install python3.11 python3.11-venv. Elsewhere: make PYTHON=/path/to/python3.11" >&2; \
	    exit 1; }
	@echo "Installing the locked packages into .venv (1.8 GB, about a minute on a fast line)"
	@$(PYTHON) -m venv --clear .venv
	@{ $(PIP) --no-deps --require-hashes --requirement requirements.lock 2>&1 && touch $@; } | tee .venv/install.log \
	    | awk '/^(Collecting|Processing) / && ++n % 20 == 0 {print "  " n " packages fetched"; fflush()} \
	           /^Installing / {print "  unpacking " n " packages"; fflush()}'
	@test -e $@ || { tail -n 20 .venv/install.log >&2; exit 1; }

.venv/.installed: .venv/.locked pyproject.toml
	@$(PIP) --quiet --no-deps --no-build-isolation --editable .
	@touch $@
