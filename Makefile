# `make demo` and `make test` do all their set-up themselves, in .venv.
.DELETE_ON_ERROR:
.PHONY: demo test lint types contracts docs fuzz benchmarks benchmarks-models benchmarks-rejection study picture dist check-dist clean

PYTHON ?= python3

demo: .venv/ready
	@.venv/bin/python -m abstain demo

test: .venv/ready
	.venv/bin/python -m pytest -n auto --cov --cov-report=term $(PYTEST_ARGS)

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

# Random damage to files that are read, about two minutes; FUZZ_ARGS="--runs 20000 --seed 1" for more.
fuzz: .venv/ready
	.venv/bin/python -m fuzz.tables $(FUZZ_ARGS)
	.venv/bin/python -m fuzz.thresholds $(FUZZ_ARGS)

benchmarks: .venv/ready
	.venv/bin/python benchmarks/fronts.py
	.venv/bin/python benchmarks/model_limits.py
	.venv/bin/python benchmarks/guarantee.py
	.venv/bin/python benchmarks/report.py
	.venv/bin/python benchmarks/predict.py

# Other libraries, each in an environment of its own (2.7 GB in build/peers), and the study of the
# defaults: long, kept in build/ and resumed when stopped. Needs the data sets beside the project.
benchmarks-models: .venv/ready
	.venv/bin/python benchmarks/models.py
	.venv/bin/python benchmarks/defaults.py

# The same for reject options.
benchmarks-rejection: .venv/ready
	.venv/bin/python benchmarks/rejection.py
	.venv/bin/python benchmarks/local_thresholds.py

# The paper's study, whole: half an hour on two cores, kept in build/ and resumed when stopped. Data
# sets that do not lie beside the project are downloaded.
study: export ABSTAIN_DATA_HOME ?= $(wildcard ../shared/data)
study: .venv/ready
	.venv/bin/python -m abstain study --out build/study
	.venv/bin/python -m tools.publish_study build/study docs/results

picture: .venv/ready
	.venv/bin/python -m abstain demo --out build/demo
	cp build/demo/curve.png docs/images/digits.png
	.venv/bin/python examples/breast_cancer_relevances.py --out build/example
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

# The wheel alone, in an empty environment, runs the demo.
check-dist: dist
	rm -rf build/wheel
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet --disable-pip-version-check dist/*.whl
	build/wheel/bin/abstain demo --out build/wheel/demo

clean:
	rm -rf .venv build dist abstain-demo abstain-study .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache
