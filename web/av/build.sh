#!/bin/sh
# Builds the decoders of the web player: web/av/sound.wasm and web/av/full.wasm (docs/decoders.md).
#
#   sh web/av/build.sh [FOLDER]
#
# FOLDER contains sources and intermediate results (default: target/av). Tarballs that are already there are used
# after a check of their hashes. Everything that is compiled stays there, so that the next run only compiles changes.
set -eu
here="$(cd "$(dirname "$0")/../.." && pwd)"
av="$here/web/av"
mkdir -p "${1:-$here/target/av}"
cd "${1:-$here/target/av}"
work="$PWD"
jobs="${JOBS:-2}"

# The version of the compiler that made the committed files. Another one makes other bytes.
EMSCRIPTEN=3.1.6

fail() {
    echo "av: $*" >&2
    exit 1
}

command -v emcc >/dev/null 2>&1 || fail "emcc is missing; on Debian: apt-get install emscripten"
emcc --version | head -n 1 | grep -q " $EMSCRIPTEN " || fail "this is not Emscripten $EMSCRIPTEN"
nm="$(command -v llvm-nm || find /usr/lib -name llvm-nm -path '*bin*' | sort | tail -n 1)"
[ -n "$nm" ] || fail "llvm-nm is missing; on Debian: apt-get install llvm"
# Debian's Emscripten needs this package of npm, which the web interface has too.
export NODE_PATH="$here/web/node_modules"

# Calls apt-get with settings of its own, because a system rarely lists sources.
apt_source() {
    mkdir -p apt/lists/partial apt/cache/archives/partial
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    release="$(. /etc/os-release && echo "$VERSION_CODENAME")"
    {
        echo "deb-src [signed-by=$key] http://deb.debian.org/debian $release main"
        echo "deb-src [signed-by=$key] http://deb.debian.org/debian-security $release-security main"
    } >apt/sources.list
    set -- -qq -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State::lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" -o APT::Sandbox::User=root "$@"
    apt-get "$@"
}

# Unpacks a pinned source package into ./NAME.
source_of() { # source_of NAME
    line="$(grep "^$1 " "$av/sources.txt")"
    # shellcheck disable=SC2086 # fields of a line
    set -- $line
    if [ ! -f "$4" ]; then
        echo "av: fetching $3"
        apt_source update
        apt_source source --download-only "$3"
    fi
    echo "$5  $4" | sha256sum --check --quiet || fail "$4 has another hash than sources.txt"
    [ "$(cat "$1/.hash" 2>/dev/null)" = "$5" ] && return
    rm -rf "$1" && mkdir "$1"
    tar -xf "$4" -C "$1" --strip-components=1
    echo "$5" >"$1/.hash"
}

# Prints the names of a kind of components in the sections of a build: names KIND SECTIONS
names() {
    awk -v kind="$1:" -v wanted="$2" '
        /^\[/ { section = substr($1, 2, length($1) - 2); next }
        $1 == kind && index(" " wanted " ", " " section " ") { for (i = 2; i <= NF; i++) print $i }' "$av/components.txt"
}

zlib() {
    [ -f zlib/libz.a ] && return
    (
        cd zlib
        for file in adler32 crc32 inffast inflate inftrees uncompr zutil; do
            emcc -O3 -msimd128 -DNO_GZIP -c "$file.c" -o "$file.o"
        done
        emar rcs libz.a ./*.o
    )
}

# Compiles FFmpeg's libraries into build-NAME. Only decoders of pictures need more than -Os.
libraries() { # libraries NAME SECTIONS OPTIMISATION-OF-DECODERS
    optimisation="$3"
    set -- "$1" "$2" "build-$1"
    mkdir -p "$3"
    options="$(for kind in demuxer decoder parser bsf encoder muxer; do
        names "$kind" "$2" | sed "s/^/--enable-$kind=/"
    done)"
    mark="$(printf '%s' "$options" | cat - "$0" "$av/sources.txt" | sha256sum)"
    if [ "$(cat "$3/.mark" 2>/dev/null)" != "$mark" ]; then
        # x86_32 without assembler: 32-bit pointers, and loads that need no alignment.
        # shellcheck disable=SC2086 # a list of words
        (cd "$3" && emconfigure ../ffmpeg/configure --cc=emcc --cxx=em++ --ar=emar --ranlib=emranlib --nm="$nm" \
            --target-os=none --arch=x86_32 --enable-cross-compile --disable-asm --disable-x86asm --disable-inline-asm \
            --disable-stripping --disable-programs --disable-doc --disable-debug --disable-pthreads \
            --disable-w32threads --disable-os2threads --disable-network --disable-autodetect --disable-avdevice \
            --disable-avfilter --disable-postproc --disable-swscale --disable-everything --disable-runtime-cpudetect \
            --enable-zlib $options --extra-cflags="-msimd128 -I../zlib" --extra-ldflags="-L../zlib" \
            --optflags="$optimisation" >configure.log 2>&1) || fail "configure failed: $work/$3/configure.log"
        grep -q '^License: LGPL version 2.1 or later' "$3/configure.log" || fail "this is not LGPL-2.1-or-later"
        missing="$(for kind in demuxer decoder parser bsf encoder muxer; do
            names "$kind" "$2" | tr '[:lower:]' '[:upper:]' | while read -r name; do
                symbol="CONFIG_${name}_$(echo "$kind" | tr '[:lower:]' '[:upper:]')"
                grep -q "^#define $symbol 1" "$3/config_components.h" || echo "$symbol"
            done
        done)"
        [ -z "$missing" ] || fail "configure left out:" $missing
        echo "$mark" >"$3/.mark"
    fi
    flags="$(sed -n 's/^CFLAGS=//p' "$3/ffbuild/config.mak")"
    make -C "$3" -j"$jobs" CFLAGS="$flags -Os" libavformat/libavformat.a >"$3/make.log" 2>&1 &&
        make -C "$3" -j"$jobs" >>"$3/make.log" 2>&1 || fail "make failed: $work/$3/make.log"
}

# Links a build with the glue into NAME.wasm. The worker is its loader: no script is generated.
link() { # link NAME
    set -- "$1" "build-$1"
    # The names of imports are checked by a test: web/test/decode/files.test.ts.
    emcc "$av"/glue/*.c -Os -msimd128 -Wall -Wextra -Werror -Wno-unused-parameter -I "$2" -I ffmpeg \
        "$2/libavformat/libavformat.a" "$2/libavcodec/libavcodec.a" "$2/libswresample/libswresample.a" \
        "$2/libavutil/libavutil.a" zlib/libz.a --no-entry -sSTANDALONE_WASM -sFILESYSTEM=0 -sTOTAL_STACK=1MB \
        -sALLOW_MEMORY_GROWTH -sINITIAL_MEMORY=32MB -sMAXIMUM_MEMORY=256MB \
        -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0 -o "$1.wasm"
    chmod 644 "$1.wasm"
}

# Compares the result with the committed files, and replaces them.
report() {
    sha256sum sound.wasm full.wasm >hashes
    if cmp -s hashes "$av/hashes.txt"; then
        echo "av: equal to the committed files"
        return
    fi
    cp sound.wasm full.wasm "$av/"
    cp hashes "$av/hashes.txt"
    echo "av: differs from the committed files, which were replaced:"
    cat hashes
}

source_of ffmpeg
source_of zlib
zlib
libraries sound "sound" -Os
libraries full "sound rare-sound pictures subtitles" -O3
link sound
link full
report
