# Every target works from a bare clone with Python 3.11 and make; the virtual environment is made once.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install demo ui test check format constraints clean

help:
	@echo "make demo    install, start Neo4j, materialize the sample corpus, ask three questions"
	@echo "make ui      open the Dagster UI of the sample home on http://127.0.0.1:3000"
	@echo "make test    install and run all tests on a real Neo4j"
	@echo "make check   lint and types"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	@bash scripts/demo.sh

ui: $(STAMP)
	@$(BIN)/graphrag-assets ui

test: $(STAMP)
	@$(BIN)/python -m pytest -q

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

constraints: $(STAMP)
	@{ sed -n '/^#/p' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable --disable-pip-version-check; } > constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf $(VENV) build *.egg-info
