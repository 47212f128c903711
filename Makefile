# Thin on purpose: every target is a command or two. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help setup compiler av web cores cores-addons build demo folders run test test-rust test-api test-clients test-web test-browser test-playback test-docker test-proxy test-service test-scripts lint fmt types licences sbom book bench torture fuzz lighthouse screenshots clean

CARGO ?= cargo
# One profile and feature set for lint, tests and the demo, so that nothing is built twice.
PORT ?= 8484
# Outside web/package.json: one of its dependencies demands `latest`, which breaks `npm ci` with every release of that package.
LIGHTHOUSE = 12.8.2
BUILT = $(or $(CARGO_TARGET_DIR),./target)

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

setup: ## Install the tools for building and testing, or name them
	@sh scripts/setup.sh

# Enough to build and run: a user needs no browser for tests.
compiler:
	@sh scripts/setup.sh build

web: compiler ## Build the web interface
	@sh scripts/web.sh

av: ## Compile the decoders of the web player anew, and compare them with the committed files (docs/decoders.md)
	@sh web/av/build.sh

cores: web ## Download the free browser cores of games, for builds with --features cores
	@node scripts/unpack-cores.mjs kinds/games/cores --free --packed

cores-addons: web ## Download the cores under other licences: make cores-addons DEST=data/cores
	@test -n "$(DEST)" || { echo 'make cores-addons DEST=FOLDER (the data folder'"'"'s cores/)' >&2; exit 2; }
	@node scripts/unpack-cores.mjs "$(DEST)" --add-ons

build: web ## Build the server with the web interface inside
	$(CARGO) build --workspace --locked

demo: build ## Start Ledge with a small sample library at http://127.0.0.1:8484
	@node scripts/start.mjs demo --port $(PORT)

# Before anything is built, which may take long.
folders: compiler
	@node scripts/start.mjs check $(MEDIA)

run: folders web ## Start Ledge for your own folders: make run MEDIA="/srv/books /srv/films"
	@$(MAKE) --no-print-directory cores || echo "run: without browser cores, games are offered as downloads" >&2
	$(CARGO) build --release --locked -p ledge --features cores
	@node scripts/start.mjs run --port $(PORT) $(MEDIA)

test: setup lint test-scripts test-web test-rust test-api test-clients test-docker test-service test-browser ## Everything: lint, scripts, web, Rust, API, apps, container, service, browser

lint: web ## Formatting, clippy, documentation, structure, links, language, licences, types and style of the web interface
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --document-private-items
	cd web && npm run --silent lint && npm run --silent check
	node scripts/links.mjs
	@node scripts/structure.mjs
	@node scripts/prose.mjs
	node scripts/licences.mjs --check
	@sh scripts/deny.sh

test-scripts: setup web ## Tests of the scripts, and of pages and licences
	@node --test scripts/tests/*.test.mjs

test-web: setup web ## Unit tests and size budget of the web interface
	cd web && npm test --silent && npm run --silent test:size

# Black-box tests mostly wait for their servers, so more of them run at once than there are cores.
test-rust: setup build ## Unit tests and black-box tests of the server
	threads=$$((3 * $$(nproc))); export RUST_TEST_THREADS=$${RUST_TEST_THREADS:-$$((threads < 16 ? threads : 16))}; \
	$(CARGO) test --workspace --locked

test-api: setup build ## The server against its OpenAPI document: make test-api FUZZ="--seed 2 --seconds 300"
	@sh tests/api-fuzz/run.sh $(FUZZ)

test-clients: setup build ## Client libraries of apps, and validators of their formats, against the server
	@sh tests/api-fuzz/clients/run.sh

test-docker: build ## Container: entrypoint, read-only root, and the real image if an engine is available
	@sh tests/docker/entrypoint.sh
	@sh tests/docker/image.sh
	@sh tests/docker/engine.sh

test-browser: setup build ## The real server in a real browser
	cd web && npm run --silent test:browser

test-playback: setup build ## Play the files of LEDGE_TEST_CORPUS in Chromium and Firefox, and compare pictures: make test-playback PLAYBACK="--only files"
	@node tests/browser/playback-table.mjs $(PLAYBACK)

fmt: ## Format everything
	$(CARGO) fmt --all
	cd web && npm run --silent format

types: build ## Regenerate the OpenAPI document and the web interface's types
	node scripts/openapi.mjs
	cd web && npm run --silent types

licences: web ## Regenerate the page of licences and the embedded texts
	node scripts/licences.mjs

sbom: web ## Write the bill of materials: target/ledge.cdx.json (CycloneDX 1.6)
	@node scripts/sbom.mjs target/ledge.cdx.json

book: ## Build docs/ as a book in target/book, with mdBook
	@sh scripts/book/build.sh

test-proxy: build ## Ledge behind a real nginx and a real Caddy, if they are installed
	@sh tests/hosting/proxy.sh nginx
	@sh tests/hosting/proxy.sh caddy

test-service: ## Unit for systemd, if its tools are installed
	@sh tests/hosting/service.sh

bench: setup web ## Measure the hot paths and their floors: make bench ITEMS=1000000
	$(CARGO) build --release --locked -p ledge -p ledge-fixtures -p ledge-tests
	$(BUILT)/release/ledge-bench --items $(or $(ITEMS),100000) $(BENCH)

torture: setup build ## Kill, overload and starve the real server: make torture TORTURE="--kills 20 --minutes 1"
	$(BUILT)/debug/ledge-torture $(TORTURE)

fuzz: web ## Fuzz every parser: make fuzz FUZZ="--seconds 600 epub pdf"
	@node scripts/fuzz.mjs $(FUZZ)

lighthouse: setup build ## Score the pages with Lighthouse's mobile settings: make lighthouse PAGES="home item"
	@test -d $(BUILT)/lighthouse/node_modules/lighthouse || npm install --prefix $(BUILT)/lighthouse --no-save --ignore-scripts --no-fund --no-audit lighthouse@$(LIGHTHOUSE)
	@LIGHTHOUSE=$(BUILT)/lighthouse node tests/browser/lighthouse.mjs $(PAGES)

screenshots: setup build ## Render every page, desktop and phone, dark and light
	cd web && npm run --silent screenshots

clean: ## Remove all build results
	$(CARGO) clean
	rm -rf web/dist web/node_modules kinds/games/cores .cache/cores demo
