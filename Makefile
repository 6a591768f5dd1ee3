# Everything works from a clean clone with Python 3.10+ and make; the first target sets up .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FIXTURES_VENV := .venv-fixtures

DEMO := fixtures/104-charlm-context-length

.PHONY: demo test check fixtures soak fuzz benchmark factory-setup factory factory-demo factory-table vsix test-client test-editors test-editor-vscode test-editors-terminal clean

demo: $(READY)  ## show the main job on a recorded failure
	@echo "A recorded failure: $(DEMO)/log.txt"
	@cd $(DEMO)/workspace && $(CURDIR)/$(BIN)/dl-bug-lsp localize ../log.txt --top 5

test: check  ## check, then the whole test suite
	$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: $(READY)  ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("dl-bug-lsp needs Python 3.10 or newer" if sys.version_info < (3, 10) else 0)'
	@echo "Setting up $(VENV) with the development tools; once, a minute or two"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --progress-bar on -c constraints.txt -e '.[dev]'
	@echo "$(VENV) is ready"
	touch $@

fixtures: $(FIXTURES_VENV)/.ready  ## run every fixture again and record its log
	$(FIXTURES_VENV)/bin/python fixtures/record.py --python $(CURDIR)/$(FIXTURES_VENV)/bin/python

$(FIXTURES_VENV)/.ready: fixtures/requirements.txt
	$(PYTHON) -m venv $(FIXTURES_VENV)
	$(FIXTURES_VENV)/bin/python -m pip install --quiet torch==2.13.0
	$(FIXTURES_VENV)/bin/python -m pip install --quiet -r fixtures/requirements.txt
	touch $@

soak: $(READY)  ## a storm against one server for 30 minutes (MINUTES=...)
	$(BIN)/python benchmarks/soak.py $(if $(MINUTES),--minutes $(MINUTES))

fuzz: $(READY)  ## hostile inputs for every reader and the protocol, a million; can be stopped and goes on
	$(BIN)/python benchmarks/fuzz.py $(if $(INPUTS),--inputs $(INPUTS))

benchmark: $(READY)  ## accuracy on the fixtures
	$(BIN)/python benchmarks/fixtures.py

FACTORY_VENV := .venv-factory
FACTORY_PYTHON ?= $(CURDIR)/$(FACTORY_VENV)/bin/python
FACTORY := PYTHONPATH=benchmarks:. $(FACTORY_PYTHON) -m factory --python $(FACTORY_PYTHON)

factory-setup: $(FACTORY_VENV)/.ready  ## the environment of the failure factory; minutes, gigabytes

$(FACTORY_VENV)/.ready: fixtures/requirements.txt benchmarks/factory/requirements.txt
	$(PYTHON) -m venv $(FACTORY_VENV)
	$(FACTORY_VENV)/bin/python -m pip install --quiet torch==2.13.0
	$(FACTORY_VENV)/bin/python -m pip install --quiet -r fixtures/requirements.txt \
	  -r benchmarks/factory/requirements.txt
	$(FACTORY_VENV)/bin/python -m pip install --quiet -e .
	touch $@

factory:  ## make failures from mutants of programs, all night; can be stopped and goes on
	$(FACTORY) $(if $(MIRROR),--mirror $(MIRROR)) run

factory-demo:  ## ten failures of programs of ours, end to end
	$(FACTORY) demo

factory-table:  ## how many failures stand, and how many are located
	$(FACTORY) table
	$(FACTORY) table --blind

vsix: $(READY) client-vscode/node_modules/.ready  ## the VS Code extension, with the server's wheel in it
	$(BIN)/python client-vscode/scripts/manifest.py --check
	rm -rf build client-vscode/wheel client-vscode/*.vsix
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir client-vscode/wheel .
	$(BIN)/python client-vscode/scripts/store_wheel.py client-vscode/wheel
	cp CHANGELOG.md client-vscode/CHANGELOG.md   # the extension's page shows it
	cd client-vscode && npm run --silent package
	$(BIN)/python client-vscode/scripts/check_vsix.py client-vscode

test-client: client-vscode/node_modules/.ready  ## types and unit tests of the VS Code extension
	cd client-vscode && npm test --silent

client-vscode/node_modules/.ready: client-vscode/package-lock.json
	cd client-vscode && npm ci --ignore-scripts --no-audit --no-fund --silent
	touch $@

test-editors: test-editor-vscode test-editors-terminal  ## the real editors; sets itself up, minutes

test-editor-vscode: vsix
	client-vscode/test/e2e/run.sh client-vscode/.e2e

test-editors-terminal: $(READY)  ## Neovim 0.11 and 0.7, Emacs, Vim with ALE; half a minute
	$(BIN)/python tests/editors/terminal.py

clean:
	rm -rf $(VENV) $(FIXTURES_VENV) $(FACTORY_VENV) build dist *.egg-info
