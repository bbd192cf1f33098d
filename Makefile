# `make demo` and `make test` do all their set-up themselves, in .venv.
.DELETE_ON_ERROR:
.PHONY: demo test test-slow test-lowest test-sklearn lint types contracts docs fuzz mutants benchmarks benchmarks-models benchmarks-rejection study numbers picture dist check-dist clean

PYTHON ?= python3

demo: .venv/ready
	@.venv/bin/python -m abstain demo

# Every law and every comparison with a reference. Tests that are marked as slow are left out.
test: .venv/ready
	$(PYTEST) --dist worksteal -m "not ($(MARKED))" $(PYTEST_ARGS)

# It finds barriers in reports. Without npm or a network, the tests that need it say so.
AXE = $(if $(shell command -v npm),build/axe/ready)
build/axe/ready:
	@npm install --prefix build/axe --no-save --no-package-lock --no-audit --no-fund --loglevel error axe-core@4.12 && touch $@ || echo "no axe-core from npm" >&2

# A process runs whole files, whose tests share a cluster or the runs of a study.
test-slow: .venv/ready $(AXE)
	$(PYTEST) --dist loadfile -m "$(MARKED)" $(PYTEST_ARGS)

PYTEST = .venv/bin/python -m pytest -n auto
MARKED = browser or cluster or paper or slow

# What `make test` runs, with the lowest versions that pyproject.toml declares; tests/tools checks
# the repository with tools of developers.
test-lowest: build/lowest/ready
	env -u CI build/lowest/bin/python -m pytest $(AMONG_OLD) --dist worksteal -m "not ($(MARKED))" --ignore tests/tools

# Each minor version of scikit-learn before the newest, which `make test` has; all else is newest.
SKLEARN = 1.6 1.7 1.8
test-sklearn: $(SKLEARN:%=test-sklearn-%)
.PHONY: $(SKLEARN:%=test-sklearn-%)
$(SKLEARN:%=test-sklearn-%): test-sklearn-%: build/sklearn-%/ready
	PYTHONPATH="$(CURDIR)/build/sklearn-$*" .venv/bin/python -m pytest $(AMONG_OLD) tests/cli/test_fit.py::test_every_model_is_fitted_answers_and_is_reported tests/classifier/test_evaluate.py tests/saving

# An older library may call what a newer one has deprecated; what we call ourselves, `make test`
# tells. One thread per process: two processes with two threads each wait for each other.
AMONG_OLD = -n auto -W ignore::DeprecationWarning $(PYTEST_ARGS)
test-lowest $(SKLEARN:%=test-sklearn-%): export OMP_NUM_THREADS = 1

lint: .venv/ready
	.venv/bin/python -m ruff check .
	.venv/bin/python -m ruff format --check .

types: .venv/ready
	.venv/bin/python -m mypy

contracts: .venv/ready
	.venv/bin/lint-imports

# The documentation, with its pictures and examples, in build/docs. A warning is an error.
docs: .venv/docs
	.venv/bin/python -m sphinx --fail-on-warning --keep-going --quiet -d build/doctrees docs build/docs
	.venv/bin/python -m tools.check_site build/docs
	@echo "The documentation lies in build/docs/index.html"

# Random damage to files that are read, about three minutes; FUZZ_ARGS="--runs 20000 --seed 1" for more.
fuzz: .venv/ready
	.venv/bin/python -m fuzz.tables $(FUZZ_ARGS)
	.venv/bin/python -m fuzz.thresholds $(FUZZ_ARGS)
	.venv/bin/python -m fuzz.models $(FUZZ_ARGS)

# Random changes to the code that the tests should notice, about half an hour. Needs a package that
# nothing else does, hence an environment of its own.
mutants: mutants-fronts mutants-targets
.PHONY: mutants-fronts mutants-targets
mutants-fronts mutants-targets: mutants-%: build/mutants/ready
	nice build/mutants/venv/bin/python -m tools.mutants $* $(MUTANTS_ARGS)

benchmarks: .venv/ready
	.venv/bin/python benchmarks/fronts.py
	.venv/bin/python benchmarks/model_limits.py
	.venv/bin/python benchmarks/report.py
	.venv/bin/python benchmarks/predict.py
	.venv/bin/python benchmarks/imports.py
	.venv/bin/python benchmarks/one_look.py
	.venv/bin/python benchmarks/online.py
	$(MAKE) numbers

# Other libraries, each in an environment of its own (2.7 GB in build/peers), and the study of the
# defaults: long, kept in build/ and resumed when stopped. Needs the data sets beside the project.
benchmarks-models: .venv/ready
	.venv/bin/python benchmarks/models.py
	.venv/bin/python benchmarks/defaults.py
	.venv/bin/python benchmarks/auto_prototypes.py
	.venv/bin/python benchmarks/accuracies.py
	.venv/bin/python benchmarks/incremental.py
	$(MAKE) numbers

# The same for reject options.
benchmarks-rejection: .venv/ready
	.venv/bin/python benchmarks/rejection.py
	.venv/bin/python benchmarks/reliability.py
	.venv/bin/python benchmarks/local_thresholds.py
	.venv/bin/python benchmarks/guarantee.py
	.venv/bin/python benchmarks/costs.py
	.venv/bin/python benchmarks/shares.py
	.venv/bin/python benchmarks/priors.py
	.venv/bin/python benchmarks/dependence.py
	.venv/bin/python benchmarks/monitor.py
	OMP_NUM_THREADS=1 .venv/bin/python benchmarks/outliers.py
	.venv/bin/python benchmarks/drift.py
	$(MAKE) numbers

# The paper's study, whole: ten minutes on two free cores, kept in build/ and resumed when stopped. Data
# sets that do not lie beside the project are downloaded.
study: export ABSTAIN_DATA_HOME ?= $(wildcard ../shared/data)
study: .venv/ready
	.venv/bin/python -m abstain study --out build/study
	.venv/bin/python -m tools.publish_study build/study docs/results
	$(MAKE) numbers

# The numbers and tables of README.md and docs, from the records in docs/benchmarks and docs/results.
numbers: .venv/ready
	.venv/bin/python -m tools.render_numbers

picture: .venv/ready
	.venv/bin/python -m abstain demo --out build/demo
	cp build/demo/curve.png docs/images/digits.png
	.venv/bin/python examples/models/breast_cancer_relevances.py --out build/example
	cp build/example/relevances.png docs/images/relevances.png
	.venv/bin/python -m tools.report_picture docs/images/report.png

dist: .venv/ready
	rm -rf dist
	.venv/bin/python -m build

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "abstain needs Python 3.11 or newer; this is %s: call make with PYTHON=python3.11" % sys.version.split()[0])'
	$(PYTHON) -m venv --clear .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch .venv/ready

.venv/docs: .venv/ready
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	@touch .venv/docs

build/lowest/ready: pyproject.toml tools/lowest_versions.py
	$(PYTHON) -m venv --clear build/lowest
	$(PYTHON) -m tools.lowest_versions > build/lowest/constraints.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint build/lowest/constraints.txt --editable '.[test]'
	@touch $@

build/mutants/ready: pyproject.toml
	$(PYTHON) -m venv --clear build/mutants/venv
	build/mutants/venv/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	@touch $@

build/sklearn-%/ready: .venv/ready
	rm -rf build/sklearn-$*
	.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --target build/sklearn-$* 'scikit-learn==$*.*'
	@touch $@

# The wheel alone, in an empty environment, runs the demo; a package index would take both files.
check-dist: dist
	rm -rf build/wheel
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	build/wheel/bin/abstain demo --out build/wheel/demo
	.venv/bin/python -m twine check --strict dist/*

clean:
	rm -rf .venv build dist abstain-demo abstain-study .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
