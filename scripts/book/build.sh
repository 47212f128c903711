#!/bin/sh
# Builds docs/ as a book, if mdBook is installed.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v mdbook >/dev/null 2>&1; then
    echo "book: mdBook is not installed; 'cargo install mdbook' gets it" >&2
    exit 1
fi
mdbook build docs
echo "target/book/index.html"
