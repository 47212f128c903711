#!/bin/sh
# Ledge behind a real proxy with the configuration of docs/examples, but for TLS.
# usage: tests/hosting/proxy.sh nginx|caddy [LEDGE]
set -eu
cd "$(dirname "$0")/../.."
kind=$1
ledge=$(realpath "${2:-${CARGO_TARGET_DIR:-target}/debug/ledge}")
command -v "$kind" >/dev/null || {
    echo "test-proxy: skipped, $kind is not installed"
    exit 0
}

work=$(mktemp -d)
port=18484
front=18443
api=http://ledge.example:$front/api/v1
server='' proxy=''
trap 'kill $server $proxy 2>/dev/null || true; wait; rm -rf "$work"' EXIT

mkdir "$work/media"
head -c 3000000 /dev/urandom >"$work/media/Noise.mp3"
printf 'ID3' | dd of="$work/media/Noise.mp3" conv=notrunc status=none
head -c 16777216 /dev/zero >"$work/save"
head -c 40960 /dev/zero >"$work/media/Game (World).gb"

start_nginx() {
    sed -e "s/listen 443 ssl;/listen 127.0.0.1:$front;/" -e '/http2\|ssl_certificate/d' \
        -e "s/127.0.0.1:8484/127.0.0.1:$port/" docs/examples/nginx.conf >"$work/site.conf"
    cat >"$work/nginx.conf" <<CONF
daemon off;
pid $work/nginx.pid;
error_log $work/error.log;
events {}
http {
    access_log off;
    client_body_temp_path $work/body;
    proxy_temp_path $work/temp;
    fastcgi_temp_path $work/temp;
    uwsgi_temp_path $work/temp;
    scgi_temp_path $work/temp;
    include $work/site.conf;
}
CONF
    nginx -p "$work" -e "$work/error.log" -c "$work/nginx.conf" &
}

start_caddy() {
    {
        printf '{\n\tadmin off\n\tauto_https off\n\tlog {\n\t\toutput discard\n\t}\n}\n'
        sed -e "s|^ledge.example {|http://ledge.example:$front {|" \
            -e "s/127.0.0.1:8484/127.0.0.1:$port/" docs/examples/Caddyfile
    } >"$work/Caddyfile"
    XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work caddy run --adapter caddyfile \
        --config "$work/Caddyfile" 2>"$work/error.log" &
}

case $kind in
    nginx | caddy) "start_$kind" ;;
    *)
        echo "test-proxy: $kind is no proxy that is known here" >&2
        exit 2
        ;;
esac
proxy=$!
LEDGE_LISTEN=127.0.0.1:$port LEDGE_DATABASE="$work/ledge.db" LEDGE_TRUSTED_PROXIES=127.0.0.1 \
    LEDGE_ADMIN_PASSWORD='correct horse' LEDGE_LOG=info,ledge::access=debug "$ledge" serve 2>"$work/log" &
server=$!

ask() { # ask PATH ARGUMENTS...: the answer's body
    path=$1
    shift
    curl --silent --show-error --fail-with-body --max-time 60 --resolve "ledge.example:$front:127.0.0.1" \
        -H "Authorization: Bearer ${token:-}" "$@" "$api$path"
}
field() { node -p "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"; }
is() { # is WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] || {
        echo "test-proxy: $1: expected '$2', got '$3'" >&2
        exit 1
    }
    echo "test-proxy: $kind: $1"
}
json='Content-Type: application/json'
for _ in $(seq 100); do
    ask /version >/dev/null 2>&1 && break
    sleep 0.1
done
# A browser's login: same host, over the proxy.
token=$(ask /auth/login -H "$json" -H "Origin: http://ledge.example:$front" \
    -d '{"username":"admin","password":"correct horse"}' | field .token)
library=$(ask /libraries -H "$json" -d "{\"name\":\"All\",\"path\":\"$work/media\"}" | field .id)

# Events come as they happen, though the stream never ends.
curl --silent --no-buffer --max-time 20 --resolve "ledge.example:$front:127.0.0.1" \
    -H "Authorization: Bearer $token" "$api/events" >"$work/events" &
events=$!
sleep 0.5
ask "/libraries/$library/scan" -X POST >/dev/null
for _ in $(seq 100); do
    grep -q '"status":"done"' "$work/events" && break
    sleep 0.1
done
kill "$events" 2>/dev/null || true
is "events come through at once" 1 "$(grep -c '"status":"done"' "$work/events" | sed 's/[1-9][0-9]*/1/')"

song=$(ask '/items?kind=audio' | field .items[0].id)
file=$(ask "/items/$song" | field .files[0].id)
is "a range is a range" "206 100" "$(ask "/files/$file/content" -r 1000-1099 -o "$work/part" -w '%{http_code} %{size_download}')"
tail -c +1001 "$work/media/Noise.mp3" | head -c 100 | cmp - "$work/part"
is "a whole file is whole" "200 3000000" "$(ask "/files/$file/content" -o /dev/null -w '%{http_code} %{size_download}')"

game=$(ask '/items?kind=games' | field .items[0].id)
status=$(ask "/items/$game/saves/quick" -X PUT --data-binary "@$work/save" \
    -H 'Content-Type: application/octet-stream' -o /dev/null -w '%{http_code}')
is "a save of 16 MiB comes through" 2 "${status%??}"
is "the client's address is logged" 1 "$(ask /auth/me -H 'X-Forwarded-For: 203.0.113.9' >/dev/null; grep -c 'client=127.0.0.1' "$work/log" | sed 's/[1-9][0-9]*/1/')"
grep -q 'client=203.0.113.9' "$work/log" && {
    echo "test-proxy: a client chose its own address" >&2
    exit 1
}
echo "test-proxy: all is well behind $kind"
