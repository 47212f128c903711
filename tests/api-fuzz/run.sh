#!/bin/sh
# Schemathesis against a real server: what the OpenAPI document says, and what the server does.
# Arguments go to run.py: --seed, --examples, --seconds.
set -eu
cd "$(dirname "$0")/../.."
needs=tests/api-fuzz/requirements.txt
tools=.cache/api-fuzz
if ! cmp -s "$needs" "$tools/installed.txt"; then
    rm -rf "$tools"
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$needs"
    cp "$needs" "$tools/installed.txt"
fi
exec "$tools/bin/python" -B tests/api-fuzz/run.py "$@"
