#!/bin/sh
# Checks licences, bans and sources of the dependencies, if cargo-deny is installed.
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo-deny >/dev/null 2>&1; then
    echo "deny: cargo-deny is not installed; 'cargo install cargo-deny' adds this check" >&2
    exit 0
fi
cargo deny --log-level error check licenses bans sources
