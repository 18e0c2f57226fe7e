# The one list of commands: people and CI run the same. `make` prints the menu.
# What starts processes is a command without quotes or other shell syntax: make hands SIGTERM to it, not to a shell.
PYTHON ?= python3
STACK = $(PYTHON) -m stack
WINDROW_PYTHON = .venv/bin/python
PARTLY = $(if $(PART),--part $(PART))

.DEFAULT_GOAL := menu
.PHONY: menu demo up down airflow setup setup-cluster image compose-up doctor check format test-fast test mutants chaos fuzz nightly nightly-operations nightly-tests docs docs-site tutorial training-data lock wheel sbom audit bench-first-light accounted everyday bench-fiba bench-mta bench-growth test-cluster test-image test-days bench-ingest-growth bench-upkeep bench-hot-key bench-farm bench-spans bench-frames calibrate bench-spark bench-scale bench-plan bench-backfill bench-windows gate-cost bench-long-windows bench-features bench-nowcast bench-peers experiments bench-latemark bench-limits faults

menu:
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 28

demo: ## from nothing to query answers and pages with figures of three streams, over generated landing files; real ones: LANDING=../shared/data
	@$(STACK) demo

up: ## start Airflow and leave it running; prints address and login; landing files in LANDING=..., kept for later
	@$(STACK) up

down: ## stop Airflow and everything that its tasks started
	@$(STACK) down

airflow: ## Airflow's own command line over the home of make up: ARGS="backfill create --help"
	@$(STACK) airflow

setup: ## environments, Java, Redis, Delta's JARs, compiled kernels; a second time it takes a second
	@$(STACK) setup $(if $(filter setup,$(MAKECMDGOALS)),--say-next)

setup-cluster: setup ## what a lake on S3 needs too: S3's JARs for Spark, 13 MB
	@$(STACK) setup-cluster

image: ## the images of Spark and of Airflow (docker/); needs a docker engine; another base: WINDROW_BASE=...
	@$(STACK) image

compose-up: ## everything in containers on one host: Airflow, Spark, PostgreSQL, S3; needs a docker engine, and make image
	@$(STACK) compose-up

doctor: ## what is missing or wrong, with the command that fixes it
	@$(STACK) doctor

check: setup ## format, lint and types
	@$(WINDROW_PYTHON) -m ruff format --check .
	@$(WINDROW_PYTHON) -m ruff check .
	@$(WINDROW_PYTHON) -m mypy

format: setup ## lay out every file, and fix what the linter can
	@$(WINDROW_PYTHON) -m ruff check --fix-only --quiet .
	@$(WINDROW_PYTHON) -m ruff format .

test-fast: setup ## what needs neither a JVM nor Airflow, nor takes long: 90 seconds on two cores
	@$(WINDROW_PYTHON) -m pytest --fast --numprocesses 2 --dist loadfile --no-loadscope-reorder

# Two at a time: half of the tests wait, for a scheduler or for a JVM's start. More would need 4 GiB each.
test: setup ## all but the nightly set, and a tenth of that: which, the commit says; another: PART=3/10
	@$(WINDROW_PYTHON) -m pytest $(PARTLY) --numprocesses 2 --dist loadfile --no-loadscope-reorder

test-cluster: setup-cluster ## what needs servers too: S3, and a PostgreSQL: apt-get install postgresql; not part of make test
	@$(WINDROW_PYTHON) -m pytest --nightly tests/cluster

test-image: setup ## build the images over a Debian made here, replay in them, and run docker/compose.yaml: apt-get install docker.io debootstrap; not part of make test
	@$(WINDROW_PYTHON) -m pytest --nightly tests/image

test-days: setup ## every day of the real files in ../shared/data through every query and the gate, by the local engine; not part of make test
	@$(WINDROW_PYTHON) -m pytest --nightly tests/days $(PARTLY)

chaos: setup ## MINUTES of random kills, writers, files and damages, then what the messages say, and 200 INTERRUPTS; real files in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m tests.support.chaos --minutes $(or $(MINUTES),30) --interrupts $(or $(INTERRUPTS),200) --seed $(or $(SEED),1) --landing "$(or $(LANDING),../shared/data)"

fuzz: export WINDROW_FUZZ_CASES = $(or $(CASES),1000)
fuzz: export WINDROW_FUZZ_SEED := $(or $(SEED),$(shell date +%s))
fuzz: setup ## 1,000 damaged landing files, of another SEED each time; more: CASES=...
	@echo CASES=$(WINDROW_FUZZ_CASES) SEED=$(WINDROW_FUZZ_SEED)
	@$(WINDROW_PYTHON) -m pytest -q tests/robustness/test_fuzz.py

faults: export WINDROW_FAULTS_COUNT = $(or $(HISTORIES),1000)
faults: export WINDROW_FAULTS_FIRST := $(or $(SEED),$(shell date +%s))
faults: setup ## 1,000 short histories of runs, ingests and readers in which any call may fail or kill, from another SEED on each time; more: HISTORIES=...
	@echo HISTORIES=$(WINDROW_FAULTS_COUNT) SEED=$(WINDROW_FAULTS_FIRST)
	@$(WINDROW_PYTHON) -m pytest -q --timeout 0 tests/robustness/test_deterministic_faults.py

nightly: nightly-operations nightly-tests test-cluster test-image test-days ## what takes longer than CI has: these five

nightly-operations: export HYPOTHESIS_PROFILE = nightly
nightly-operations: setup ## a million random operations of every kernel, compared with plain Python; a tenth: PART=3/10
	@$(WINDROW_PYTHON) -m pytest --nightly $(PARTLY) --numprocesses 2 --timeout 0 -m machine tests/kernels --durations 40

nightly-tests: export HYPOTHESIS_PROFILE = thorough
nightly-tests: setup ## every test with eight times as many examples, also those that make test has no time for; a tenth: PART=3/10
	@$(WINDROW_PYTHON) -m pytest --nightly $(PARTLY) --numprocesses 2 --dist loadfile --no-loadscope-reorder --timeout 1800

mutants: setup ## how many of N=150 small faults (SEED=1) the tests find; writes docs/tests-power.md; hours, in several goes; other faults: NAME=...
	@$(WINDROW_PYTHON) -m tools.mutants --count $(or $(N),150) --seed $(or $(SEED),1) --name $(or $(NAME),now)

docs: setup ## make the pages of docs/ that come from the definitions
	@$(WINDROW_PYTHON) -m tools.docs

docs-site: export NO_MKDOCS_2_WARNING = 1
docs-site: setup ## docs/ as a site in var/site: open var/site/index.html; needs no network
	@$(WINDROW_PYTHON) -m mkdocs build --strict --quiet

lock: ## requirements/*.txt again from pyproject.toml
	@$(STACK) lock

wheel: setup ## Windrow as a wheel in var/wheel, of the version that the git tag says
	@$(STACK) wheel

sbom: setup ## var/sbom: what is installed, with versions and licences, as CycloneDX
	@$(STACK) sbom

audit: setup ## known vulnerabilities of what is pinned; asks PyPI, and fails where it doesn't answer
	@$(STACK) audit

bench-first-light: setup ## the kernel alone, and silver to Delta against Spark's window()
	@$(WINDROW_PYTHON) -m benchmarks.first_light

bench-growth: setup ## what a run of a day costs in lakes of 10, 100 and 1,000 days
	@$(WINDROW_PYTHON) -m benchmarks.run_growth

bench-long-windows: setup ## what a run of a day costs with windows of 365 days, from kept panes and from silver
	@$(WINDROW_PYTHON) -m benchmarks.long_windows

bench-fiba: setup ## the figures of the FiBA paper with this project's kernels; writes docs/benchmarks/fiba.md; real trips in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.fiba "$(or $(LANDING),../shared/data)" --sizes "$(or $(SIZES),normal)"

bench-mta: setup ## the figures of the MTA paper likewise; writes docs/benchmarks/mta.md; more: SIZES=large
	@$(WINDROW_PYTHON) -m benchmarks.mta --sizes "$(or $(SIZES),normal)"

bench-ingest-growth: setup ## an ingest of one new file with 10, 100 and 1,000 days in the lake
	@$(WINDROW_PYTHON) -m benchmarks.ingest_growth

bench-upkeep: setup ## files and reading times of a year of runs, before and after maintenance; minutes
	@$(WINDROW_PYTHON) -m benchmarks.upkeep

bench-hot-key: setup ## one key with nine tenths of five million events, on one core and on two
	@$(WINDROW_PYTHON) -m benchmarks.hot_key

bench-farm: setup ## the figures of FARM with this project's farm, and other ways to the same fits; writes docs/benchmarks/farm.md
	@$(WINDROW_PYTHON) -m benchmarks.farm --sizes "$(or $(SIZES),normal)"

bench-spans: setup ## SPANS' figures: windows over events that last, six kernels; writes docs/benchmarks/spans.md; real calls in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.spans "$(or $(LANDING),../shared/data)"

bench-frames: setup ## FRAMES: what single buffer and multi-buffer cost as tuples and frames grow; writes docs/benchmarks/frames.md
	@$(WINDROW_PYTHON) -m benchmarks.frames

calibrate: setup ## a map of the best kernel of spans, and thresholds that the planner would do well with; changes nothing
	@$(WINDROW_PYTHON) -m benchmarks.calibrate

bench-spark: setup ## the same windows by Spark's own means, in processor seconds; writes docs/benchmarks/spark.md; minutes
	@$(WINDROW_PYTHON) -m benchmarks.against_spark_page

bench-scale: setup ## one day of 10 and of 50 million events by both engines, with every process's memory; writes docs/benchmarks/scale.md
	@$(WINDROW_PYTHON) -m benchmarks.scale

bench-plan: setup ## what it costs to plan a replay in a lake of 1 TB, of which only the metadata are there
	@$(WINDROW_PYTHON) -m benchmarks.plan_at_scale

bench-backfill: setup ## a month's backfill next to DuckDB and Spark, a year's, many queries in one; writes docs/benchmarks/backfill.md; hours; smaller: ARGS="--help"
	@$(WINDROW_PYTHON) -m benchmarks.backfill $(ARGS)

bench-windows: setup ## a month's backfill of 20 windows in one query next to one window; writes docs/benchmarks/windows.md; minutes
	@$(WINDROW_PYTHON) -m benchmarks.several_windows $(ARGS)

bench-features: setup ## features of 10 million labels next to DuckDB, Polars and Spark; writes docs/benchmarks/features.md; smaller: ARGS="--help"
	@$(WINDROW_PYTHON) -m benchmarks.features $(ARGS)

bench-nowcast: setup ## how far nowcasts of held-out days of the real streams are from what became true; writes docs/benchmarks/nowcast.md; files in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.nowcast "$(or $(LANDING),../shared/data)"

bench-peers: setup ## windows in memory, from CSV, and from landing files to rows, next to DuckDB, Polars and Spark; writes docs/benchmarks/peers.md
	@$(WINDROW_PYTHON) -m benchmarks.peers $(ARGS)

bench-limits: setup ## 100 and 500 million events, one and two workers of Spark, 10,000 files at once, a ledger of 100,000 runs; writes docs/benchmarks/limits.md; an hour
	@$(WINDROW_PYTHON) -m benchmarks.limits $(ARGS)

experiments: bench-fiba bench-mta bench-spans bench-farm bench-frames bench-spark bench-peers bench-backfill docs ## every figure of five papers, and what users could pick instead; writes docs/experiments.md; hours

bench-latemark: setup ## late bids of Nexmark, and how many rows of which way are wrong; writes docs/benchmarks/latemark.md; an hour; smaller: ARGS="--help"
	@$(WINDROW_PYTHON) -m benchmarks.latemark.page $(ARGS)

accounted: setup ## ingest all real files and write docs/accounted-for.md; they are in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.accounted_for "$(or $(LANDING),../shared/data)"

gate-cost: setup ## what the gate costs next to the replay, in processor seconds; real files in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.gate_cost "$(or $(LANDING),../shared/data)"

tutorial: setup ## run the commands of docs/tutorial.md and of the pages behind it, and write what they print
	@$(WINDROW_PYTHON) -m tools.console

training-data: setup ## run docs/training-data.ipynb over real trips, and write its page; they are in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m tools.notebook "$(or $(LANDING),../shared/data)"

everyday: setup ## where the seconds of a run go; writes docs/everyday.md; real files in LANDING=../shared/data
	@$(WINDROW_PYTHON) -m benchmarks.everyday "$(or $(LANDING),../shared/data)"
