#!/bin/sh
# Client libraries of other authors and validators of the formats against a real server. The network
# is needed once: the packages stay in .cache/clients.
# `make test-clients` builds the server before.
set -eu
cd "$(dirname "$0")/../../.."
needs=tests/api-fuzz/clients/requirements.txt
tools=.cache/clients
log=.cache/clients.log
node="subsonic-api@3.3.1 r2-opds-js@1.0.47"
fail() {
    echo "clients: the packages for these tests cannot be installed from $1 (details: $log)" >&2
    exit 1
}
if ! { cat "$needs" && echo "$node"; } | cmp -s - "$tools/installed.txt"; then
    rm -rf "$tools"
    mkdir -p "$tools"
    python3 -m venv "$tools/venv"
    "$tools/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$needs" >"$log" 2>&1 || fail PyPI
    # shellcheck disable=SC2086 # a list of packages
    npm install --no-audit --no-fund --ignore-scripts --prefix "$tools" $node >"$log" 2>&1 || fail npm
    { cat "$needs" && echo "$node"; } >"$tools/installed.txt"
fi
exec "$tools/venv/bin/python" -B tests/api-fuzz/clients/run.py "$@"
