#!/bin/sh
# The unit of docs/examples as systemd reads it: without a mistake, and with little to attack.
set -eu
cd "$(dirname "$0")/../.."
command -v systemd-analyze >/dev/null || {
    echo "test-service: skipped, there is no systemd-analyze"
    exit 0
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# An executable that is there, for the one that may not be installed.
sed 's|^ExecStart=/usr/local/bin/ledge |ExecStart=/bin/true |' docs/examples/ledge.service \
    >"$work/ledge.service"
said=$(systemd-analyze verify --man=no "$work/ledge.service" 2>&1)
[ -z "$said" ] || {
    echo "test-service: $said" >&2
    exit 1
}
# Tenths of the exposure level, which goes from 0 to 10.
systemd-analyze security --offline=true --threshold=20 --no-pager "$work/ledge.service" | tail -n 1
