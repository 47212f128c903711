#!/bin/sh
# Builds the web interface into web/dist, unless the build is newer than its sources.
set -eu
cd "$(dirname "$0")/../web"

if [ ! -d node_modules ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
    npm ci --ignore-scripts --no-fund --no-audit --loglevel=error
fi
if [ -d dist/assets ] && [ -z "$(find . -path ./node_modules -prune -o -path ./dist -prune -o -path ./screenshots -prune -o -type f -newer dist/index.html -print -quit)" ]; then
    exit 0
fi
npm run --silent build
