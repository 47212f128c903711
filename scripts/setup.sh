#!/bin/sh
# Installs missing tools, or names those that it may not install.
# setup.sh        for building and testing
# setup.sh build  for building and running only
set -eu

need() { # need COMMAND DEBIAN-PACKAGE
    command -v "$1" >/dev/null 2>&1 || packages="$packages $2"
}

for tool in cargo node npm; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "setup: '$tool' is missing. Install Rust 1.95 or later and Node 20 or later first." >&2
        exit 1
    fi
done
if [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" != true ]; then
    echo "setup: Node $(node --version) is too old. Install Node 20 or later." >&2
    exit 1
fi

packages=""
optional=""
readers=""
need cc build-essential
if [ "${1:-}" != build ]; then
    need ffprobe ffmpeg
    need chromium chromium
    need python3 python3
    python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || packages="$packages python3-venv"
    # Other readers of archives.
    { command -v 7zz || command -v 7z; } >/dev/null 2>&1 || readers="$readers 7zip"
    command -v unzip >/dev/null 2>&1 || readers="$readers unzip"
    # A second browser, with a screen that has WebGL. Not every system has this package.
    if ! { command -v firefox-esr && command -v Xvfb; } >/dev/null 2>&1; then
        optional="firefox-esr xvfb libegl1 libgl1-mesa-dri"
    fi
fi
skipped() { # without it, some tests do not run
    [ -z "$optional" ] || echo "setup: $optional cannot be installed; the tests in Firefox are skipped" >&2
    [ -z "$readers" ] || echo "setup:$readers cannot be installed; checks of archives with it are skipped" >&2
    exit 0
}
[ -z "$packages$optional$readers" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    [ -n "$packages" ] || skipped
    echo "setup: please install:$packages" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" != 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        [ -n "$packages" ] || skipped
        echo "setup: please run: sudo apt-get install -y$packages" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
install() {
    echo "setup: installing $*"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
$as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
# shellcheck disable=SC2086 # lists of words
[ -z "$packages" ] || install $packages
# shellcheck disable=SC2086
if [ -n "$readers" ] && install $readers; then readers=""; fi
# shellcheck disable=SC2086
if [ -n "$optional" ] && install $optional; then optional=""; fi
[ -z "$optional$readers" ] || skipped
