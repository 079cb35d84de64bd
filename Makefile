# `make` alone lists what there is to do.

PYTHON ?= python3
PORT ?= 8000
ARGS ?=
IN_VENV := .venv/bin/python
# Most tests wait for servers and browsers, so one worker more than there are cores.
WAITING = $(shell $(IN_VENV) -c 'import os; print((os.cpu_count() or 1) + 1)')
ON_TEST_SERVERS := $(IN_VENV) -m tests.servers
COMPILE = .venv/bin/uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --annotation-style line --custom-compile-command "make lock"
export PORT

.PHONY: help run test test-long check audit lock bench bench-bots chaos tools letters screens clean

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
		--every-action --durations=25 --durations-min=4
else
test: .venv/.tests
	@$(IN_VENV) -m config.messages compile
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest $(ARGS)
endif

test-long: tools ## the cases that `make test` leaves out: bots in every game, two minutes of chaos
	@$(IN_VENV) -m config.messages compile
	@$(ON_TEST_SERVERS) $(IN_VENV) -m pytest -m long --durations=0 --durations-min=4

check: .venv/.tests ## the quick part: lint, types, imports, migrations, translations, packages
	@$(ON_TEST_SERVERS) $(IN_VENV) -m tests.checks

audit: .venv/.tests ## fail if a locked package has a known vulnerability; needs the network
	@$(IN_VENV) -m tests.audit

lock: .venv/bin/uv ## write the lock files anew; newer packages: make lock ARGS=--upgrade
	@$(COMPILE) $(ARGS) requirements.txt --output-file requirements.lock
	@$(COMPILE) $(ARGS) requirements.txt requirements-dev.txt --constraint requirements.lock \
		--output-file requirements-dev.lock

bench: .venv/.tests ## measure
	@$(ON_TEST_SERVERS) --durable $(IN_VENV) -m bench $(ARGS)

bench-bots: .venv/.tests ## how strong the bots are: hours; in minutes: make bench-bots SHORT=1
	@$(IN_VENV) -m bench.bots $(if $(SHORT),short,long) $(ARGS)

chaos: .venv/.tests ## play while everything fails in turn; another run: make chaos SECONDS=600 SEED=2
	@$(IN_VENV) -m config.messages compile
	@$(IN_VENV) -m tests.chaos $(or $(SECONDS),600) $(or $(SEED),1)

tools: .venv/.tests ## install the browser and the mail client of the tests, where missing
	@$(IN_VENV) -m tests.tools

letters: .venv/.tests ## write a letter of every kind to var/letters, to look at
	@$(ON_TEST_SERVERS) sh -c '$(IN_VENV) manage.py migrate --verbosity 0 && \
		$(IN_VENV) manage.py show_letters var/letters'

screens: tools ## picture every page of a demo into screens/; some: make screens ARGS=help
	@$(ON_TEST_SERVERS) $(IN_VENV) -m tests.screens $(ARGS)

clean: ## forget everything: packages, databases, demo games
	@rm -rf .venv var

.venv/.runs: requirements.lock | $(IN_VENV)
	$(call install,requirements.lock)

.venv/.tests: requirements-dev.lock | $(IN_VENV)
	$(call install,requirements-dev.lock)
	@touch .venv/.runs

.venv/bin/uv: | $(IN_VENV)
	@$(IN_VENV) -m pip install --quiet "$$(grep -o '^uv==[0-9.]*' requirements-dev.txt)"

$(IN_VENV):
	@command -v $(PYTHON) >/dev/null || $(call fail,Python is missing; install 3.11 or newer.)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		$(call fail,$(PYTHON) is older than 3.11; choose another: make run PYTHON=python3.12)
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		$(call fail,Python has no venv; install it (Debian: apt-get install python3-venv).)
	@$(PYTHON) -m venv --clear .venv

define install
	@echo "· installing packages"; mkdir -p var; \
	$(IN_VENV) -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1) >var/pip.log 2>&1 || \
		{ cat var/pip.log >&2; $(call fail,The packages could not be installed; see above.) }
	@touch $@
endef

fail = { echo "$(1)" >&2; exit 1; }
