# The course's commands; `make` alone explains them.
# Needs Python 3.11, 3.12 or 3.13; the rest is installed into .venv.
PYTHON ?=
unexport PYTHONDONTWRITEBYTECODE  # hundreds of processes start: compile once
BIN = .venv/bin
HTML = _build/html
STRICT = _build/strict
PORT = 8000
LAB = code/experiments/run.py
BOOK = $(BIN)/jupyter-book build .

.DELETE_ON_ERROR:
.PHONY: help book serve test check lint in-step notebooks-test notebooks-plain strict notebooks spread \
	sync exercises exercise experiments bench speedrun gpu colab address release publish-check links clean \
	pages pages-quick pdf

help:
	@echo "make book           build the book and say where it is"
	@echo "make serve          show the book at http://localhost:$(PORT)"
	@echo "make test           lint, all tests, every notebook, the book with warnings as errors"
	@echo "make check          the quick part of make test (lint, sync, unit tests)"
	@echo "make check CHAPTER=10   one chapter: its text, notebook, checkers, modules"
	@echo "make notebooks      make the notebooks of changed texts, executing changed code (ALL=1: all)"
	@echo "make notebooks-plain   changed notebooks, compared as an older processor computes"
	@echo "make spread CHAPTER=02   how far a chapter's numbers move with the processor"
	@echo "make sync           write what is made from package, results and chapters: cells, tables, lists"
	@echo "make exercises      list every exercise"
	@echo "make exercise ID=5.9 NAME=centred   the skeleton of one with a checker"
	@echo "make experiments    every stored result: what it needs, its minutes, whether it is stale"
	@echo "make experiments RUN=stale   re-run those (or RUN=unknown, RUN=\"race beam_width\"); stopped, it goes on"
	@echo "make bench          training and decoding speed beside what people use instead (ARGS=--help)"
	@echo "make speedrun       how soon a translator reaches the goal on this computer (ARGS=\"--minutes 10\")"
	@echo "make gpu            the measurements that need a GPU, those that matter most first (ARGS=--small: a try, anywhere)"
	@echo "make colab          every notebook alone, with a built package and Colab's versions (CHAPTERS=\"02 10\")"
	@echo "make address REPO=owner/name   write the project's public address everywhere"
	@echo "make release VERSION=X.Y.Z  write a newer version everywhere and say what remains"
	@echo "make publish-check  fail while the address is a placeholder or the tag is missing"
	@echo "make pages          try every page in a browser: accessible, light, nothing cut off"
	@echo "make pdf            the whole book as one PDF with bookmarks (needs Chromium)"
	@echo "make links          try every link of the book (needs the network)"
	@echo "make clean          remove everything that was built, .venv too"

# Two installs: rendering needs no torch, because outputs are stored.
.venv/made:
	@python=$$(sh code/tools/find_python.sh "$(PYTHON)") && \
		echo "Making .venv with $$python" && "$$python" -m venv .venv && touch $@

.venv/book: .venv/made book/requirements.txt
	@echo "Installing what the book needs (under a minute)"
	@$(BIN)/python -m pip install -q -r book/requirements.txt && touch $@

.venv/all: .venv/made book/requirements.txt requirements.txt pyproject.toml
	@echo "Installing everything, torch too (a minute or more)"
	@$(BIN)/python -m pip install -q -r requirements.txt && touch $@ .venv/book

book: .venv/book
	@$(BOOK) -n --keep-going -q
	@echo "The book is $(CURDIR)/$(HTML)/index.html"

serve: book
	@echo "http://localhost:$(PORT) (Ctrl-C ends it)"
	@$(BIN)/python -m http.server $(PORT) --bind 127.0.0.1 --directory $(HTML)

# One core builds and tries the book while the notebooks keep two busy.
test: check
	@$(MAKE) --no-print-directory -j2 notebooks-test pages-quick
	@echo "All tests passed."

# CHAPTER=10 checks that chapter alone.  Each of WORKERS processes takes one
# core, and whole files of tests, so that nothing is computed in both.
WORKERS = 2
check: .venv/all
ifdef CHAPTER
	@$(BIN)/python code/tools/chapter_tests.py "$(CHAPTER)"
else
	@$(MAKE) --no-print-directory -j2 lint in-step
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -c tests/pytest.ini --rootdir=. \
		-n $(WORKERS) --dist loadfile --no-loadscope-reorder tests
endif

lint: .venv/all
	$(BIN)/ruff check code tests book chapters
	$(BIN)/ruff format --check code tests book chapters
	$(BIN)/codespell $$(git ls-files '*.md' '*.py' '*.yml' '*.toml' '*.cff')
	$(BIN)/python code/tools/notebooks.py check
	$(BIN)/python code/tools/plain_run.py check

# What is written from package, results and chapters says what they say.
in-step: .venv/all
	$(BIN)/python code/tools/sync.py

# Each notebook is executed and compared with what it stores; its kernel has
# imported torch already (tests/forked_kernels.py).
notebooks-test: .venv/all
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -c tests/pytest-notebooks.ini --rootdir=. \
		-p forked_kernels -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
		--durations=0 --durations-min=10 chapters

# The changed ones once more, as a processor without special instructions
# would; make check says when that is due.
notebooks-plain: .venv/all
	@$(BIN)/python code/tools/plain_run.py

strict: .venv/all
	$(BOOK) --path-output $(STRICT) --all -W -n --keep-going -q
	$(BIN)/python code/tools/check_book.py $(STRICT)/_build/html
	$(BIN)/python code/tools/search_check.py $(STRICT)/_build/html

# Four pages, in a browser if there is one; else it says that it did nothing.
pages-quick: strict
	$(BIN)/python code/tools/pages.py $(STRICT)/_build/html --quick

.venv/pages: .venv/all code/tools/pages.txt
	@$(BIN)/python -m pip install -q -r code/tools/pages.txt && touch $@

pages: .venv/pages book
	$(BIN)/python code/tools/check_book.py $(HTML)
	$(BIN)/python code/tools/page_weight.py $(HTML)
	$(BIN)/python code/tools/pages.py $(HTML)

# One page with everything, beside the book; its pictures are the book's.
pdf: .venv/pages
	$(BOOK) --builder custom --custom-builder singlehtml --path-output _build/pdf -q
	$(BIN)/python code/tools/pdf.py _build/pdf/_build/singlehtml _build/attention-from-scratch.pdf

notebooks: .venv/all sync
	@$(BIN)/python code/tools/notebooks.py build $(if $(ALL),--all)

spread: .venv/all
	@$(BIN)/python code/tools/spread.py $(CHAPTER) $(CELL)

sync: .venv/all
	@$(BIN)/python code/tools/sync.py --write

exercises: .venv/all
	@$(BIN)/python -m attnbook.teaching.exercises

exercise: .venv/all
	@$(BIN)/python code/tools/new_exercise.py $(ID) $(NAME)

experiments: .venv/all
	@$(BIN)/python $(LAB) list $(RUN)

bench: .venv/all
	@$(BIN)/python -W ignore $(LAB) benchmark --dry --sizes A $(ARGS)

speedrun: .venv/all
	@$(BIN)/python -W ignore $(LAB) attempt $(ARGS)

gpu: .venv/all
	@$(BIN)/python $(LAB) gpu $(ARGS)

# What Colab ships, installed once; each notebook fetches the package itself.
.colab/made: code/tools/colab.txt
	@python=$$(sh code/tools/find_python.sh "$(PYTHON)") && \
		"$$python" -m venv .colab/venv
	@echo "Installing what Colab ships (some minutes)"
	@.colab/venv/bin/python -m pip install -q -r $< "nbval>=0.11,<1" && touch $@

colab: .colab/made
	@.colab/venv/bin/python code/tools/colab.py $(CHAPTERS)

address:
	@python=$$(sh code/tools/find_python.sh "$(PYTHON)") && \
		"$$python" code/tools/publish.py address "$(REPO)"

release:
	@python=$$(sh code/tools/find_python.sh "$(PYTHON)") && \
		"$$python" code/tools/publish.py release "$(VERSION)"

publish-check:
	@python=$$(sh code/tools/find_python.sh "$(PYTHON)") && \
		"$$python" code/tools/publish.py check

links: .venv/book
	@$(BIN)/python code/tools/links.py _build/links

clean:
	rm -rf _build .venv .colab .pytest_cache .ruff_cache code/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
