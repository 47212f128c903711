#!/bin/sh
# Client libraries of other authors against a real server: py-opensonic, and subsonic-api for Node.
# `make test-clients` builds the server before.
set -eu
cd "$(dirname "$0")/../../.."
needs=tests/api-fuzz/clients/requirements.txt
tools=.cache/clients
node=subsonic-api@3.3.1
if ! cmp -s "$needs" "$tools/installed.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$needs"
    npm install --silent --no-audit --no-fund --prefix "$tools" "$node"
    cp "$needs" "$tools/installed.txt"
fi
exec "$tools/venv/bin/python" -B tests/api-fuzz/clients/run.py "$@"
