# `make` alone lists what there is to do.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
IN_VENV := .venv/bin/python
# Most tests wait for servers and browsers, so one worker more than there are cores.
WAITING = $(shell $(IN_VENV) -c 'import os; print((os.cpu_count() or 1) + 1)')
ON_TEST_SERVERS := $(IN_VENV) -m tests.servers
export PORT

.PHONY: help run test test-long check bench bench-bots tools letters screens clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

run: .venv/.runs ## run everything; another port: make run PORT=8001
	@TRIPOST_HOME="$(CURDIR)/var/run" exec $(IN_VENV) -m config.supervisor

ifeq ($(strip $(ARGS)),)
test: check tools ## run every check and test; a part: make test ARGS="tests/rules -x"
	@$(IN_VENV) -m config.messages compile
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest tests/rules -n auto \
		--cov=games.rules --cov-branch --cov-report=term-missing:skip-covered --cov-fail-under=100
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest -n $(WAITING) --dist worksteal --ignore=tests/rules -m "not long" \
		--durations=25 --durations-min=4
else
test: .venv/.tests
	@$(IN_VENV) -m config.messages compile
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest $(ARGS)
endif

test-long: tools ## the cases that `make test` leaves out: bots in every game, every process killed
	@$(IN_VENV) -m config.messages compile
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest -m long --durations=0 --durations-min=4

check: .venv/.tests ## the quick part: lint, types, imports, migrations, translations
	@$(ON_TEST_SERVERS) $(IN_VENV) -m tests.checks

bench: .venv/.tests ## measure
	@$(ON_TEST_SERVERS) --durable $(IN_VENV) -m bench $(ARGS)

bench-bots: .venv/.tests ## how strong the bots are: hours; in minutes: make bench-bots SHORT=1
	@$(IN_VENV) -m bench.bots $(if $(SHORT),short,long) $(ARGS)

tools: .venv/.tests ## install the browser and the mail client of the tests, where missing
	@$(IN_VENV) -m tests.tools

letters: .venv/.tests ## write a letter of every kind to var/letters, to look at
	@$(ON_TEST_SERVERS) sh -c '$(IN_VENV) manage.py migrate --verbosity 0 && \
		$(IN_VENV) manage.py show_letters var/letters'

screens: tools ## picture every page of a demo into screens/; some: make screens ARGS=help
	@$(ON_TEST_SERVERS) $(IN_VENV) -m tests.screens $(ARGS)

clean: ## forget everything: packages, databases, demo games
	@rm -rf .venv var

.venv/.runs: requirements.txt | $(IN_VENV)
	$(call install,-r requirements.txt)

.venv/.tests: requirements.txt requirements-dev.txt | $(IN_VENV)
	$(call install,-r requirements.txt -r requirements-dev.txt)
	@touch .venv/.runs

$(IN_VENV):
	@command -v $(PYTHON) >/dev/null || $(call fail,Python is missing; install 3.11 or newer.)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		$(call fail,$(PYTHON) is older than 3.11; choose another: make run PYTHON=python3.12)
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		$(call fail,Python has no venv; install it (Debian: apt-get install python3-venv).)
	@$(PYTHON) -m venv --clear .venv

define install
	@echo "· installing packages"; mkdir -p var; \
	$(IN_VENV) -m pip install --quiet --disable-pip-version-check $(1) >var/pip.log 2>&1 || \
		{ cat var/pip.log >&2; $(call fail,The packages could not be installed; see above.) }
	@touch $@
endef

fail = { echo "$(1)" >&2; exit 1; }
