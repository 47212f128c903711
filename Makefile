# Thin on purpose: every target is a command or two. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup web cores cores-addons build demo folders run test test-rust test-api test-web test-browser test-docker test-proxy test-service test-scripts lint fmt types licences sbom book bench torture fuzz screenshots clean

CARGO ?= cargo
# One profile and feature set for lint, tests and the demo, so that nothing is built twice.
PORT ?= 8484
BUILT = $(or $(CARGO_TARGET_DIR),./target)

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

setup: ## Install what is missing, or name it
	@sh scripts/setup.sh

web: setup ## Build the web interface
	@sh scripts/web.sh

cores: web ## Get the free browser cores of games, for builds with --features cores
	@node scripts/unpack-cores.mjs kinds/games/cores --free --packed

cores-addons: web ## Get the cores that are no free software: make cores-addons DEST=data/cores
	@test -n "$(DEST)" || { echo 'make cores-addons DEST=FOLDER (the data folder'"'"'s cores/)' >&2; exit 2; }
	@node scripts/unpack-cores.mjs "$(DEST)" --add-ons

build: web ## Build the server with the web interface inside
	$(CARGO) build --workspace --locked

demo: build ## Start Ledge with a small library of its own at http://127.0.0.1:8484
	@node scripts/start.mjs demo --port $(PORT)

# Before anything is built, which may take long.
folders: setup
	@node scripts/start.mjs check $(MEDIA)

run: folders web ## Start Ledge for your own folders: make run MEDIA="/srv/books /srv/films"
	@$(MAKE) --no-print-directory cores || echo "run: without browser cores, games are offered as downloads" >&2
	$(CARGO) build --release --locked -p ledge --features cores
	@node scripts/start.mjs run --port $(PORT) $(MEDIA)

test: lint test-scripts test-web test-rust test-api test-docker test-service test-browser ## Everything: lint, scripts, web, Rust, API, container, service, browser

lint: web ## Formatting, clippy, documentation, links, licences, types and style of the web interface
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --document-private-items
	cd web && npm run --silent lint && npm run --silent check
	node scripts/links.mjs
	node scripts/licences.mjs --check
	@sh scripts/deny.sh

test-scripts: web ## What checks pages and licences
	@node --test scripts/tests/*.test.mjs

test-web: web ## Unit tests and size budget of the web interface
	cd web && npm test --silent && npm run --silent test:size

test-rust: build ## Unit tests and black-box tests of the server
	$(CARGO) test --workspace --locked

test-api: build ## The server against its OpenAPI document: make test-api FUZZ="--seed 2 --seconds 300"
	@sh tests/api-fuzz/run.sh $(FUZZ)

test-docker: build ## The container: entrypoint, the program as the image runs it, and the real image where an engine is available
	@sh tests/docker/entrypoint.sh
	@sh tests/docker/image.sh
	@sh tests/docker/engine.sh

test-browser: build ## The real server in a real browser
	cd web && npm run --silent test:browser

fmt: ## Format everything
	$(CARGO) fmt --all
	cd web && npm run --silent format

types: build ## Write the OpenAPI document and the web interface's types anew
	node scripts/openapi.mjs
	cd web && npm run --silent types

licences: web ## Write the page of licences anew, and the texts that the executable bears
	node scripts/licences.mjs

sbom: web ## What a release is made of, for programs: target/ledge.cdx.json (CycloneDX 1.6)
	@node scripts/sbom.mjs target/ledge.cdx.json

book: ## The pages of docs/ as a book in target/book, with mdBook
	@sh scripts/book.sh

test-proxy: build ## Ledge behind a real nginx and a real Caddy, where they are installed
	@sh tests/proxy/run.sh nginx
	@sh tests/proxy/run.sh caddy

test-service: ## The unit for systemd, where its tools are installed
	@sh tests/service/unit.sh

bench: web ## Measure the hot paths beside their floors: make bench ITEMS=1000000
	$(CARGO) build --release --locked -p ledge -p ledge-fixtures -p ledge-tests
	$(BUILT)/release/ledge-bench --items $(or $(ITEMS),100000) $(BENCH)

torture: build ## Kill, crowd and starve the real server: make torture TORTURE="--kills 20 --minutes 1"
	$(BUILT)/debug/ledge-torture $(TORTURE)

fuzz: web ## Inputs that nobody wrote, for every parser: make fuzz FUZZ="--seconds 600 epub pdf"
	@node scripts/fuzz.mjs $(FUZZ)

screenshots: build ## Pictures of every page, desktop and phone, dark and light
	cd web && npm run --silent screenshots

clean: ## Remove what was built
	$(CARGO) clean
	rm -rf web/dist web/node_modules kinds/games/cores .cache/cores demo
