#!/bin/sh
# Builds the real image and runs it with the rights of docker/compose.yml, if an engine is available.
# Further arguments of the build: DOCKER_BUILD_ARGS="--build-arg RUST_IMAGE=… --network host".
set -eu
cd "$(dirname "$0")/../.."

if ! docker info >/dev/null 2>&1; then
    echo "test-docker: the image was not built: no container engine is available"
    exit 0
fi

image=ledge-test
name=ledge-test-$$
work=$(mktemp -d)
cleanup() {
    docker rm --force "$name" >/dev/null 2>&1 || true
    docker volume rm "$name" >/dev/null 2>&1 || true
    rm -rf "$work"
}
trap cleanup EXIT
printf "correct horse\n" >"$work/secret" && chmod 400 "$work/secret"

fail() {
    echo "test-docker: $1" >&2
    docker logs "$name" >&2 || true
    exit 1
}
is() { # is SUBJECT EXPECTED ACTUAL
    [ "$2" = "$3" ] || fail "$1: expected '$2', got '$3'"
}
inspect() { docker inspect --format "$1" "$name"; }
start() { # start OPTIONS...
    docker run --detach --name "$name" --init --read-only --tmpfs /tmp \
        --cap-drop ALL --cap-add CHOWN --cap-add DAC_READ_SEARCH --cap-add KILL \
        --cap-add SETGID --cap-add SETUID --security-opt no-new-privileges:true \
        --volume "$name:/data" --publish 127.0.0.1::8484 --health-interval 1s "$@" "$image" >/dev/null
    for _ in $(seq 60); do
        [ "$(inspect '{{.State.Health.Status}}')" != healthy ] || return 0
        sleep 1
    done
    fail "the container does not become healthy"
}
in_container() { docker exec -i "$name" "$@" 2>&1; }

# shellcheck disable=SC2086 # a list of arguments
DOCKER_BUILDKIT=1 docker build ${DOCKER_BUILD_ARGS:-} \
    --build-arg LEDGE_COMMIT="$(git rev-parse --short HEAD 2>/dev/null || true)" --file docker/Dockerfile --tag "$image" .
case $(docker run --rm "$image" --version) in
    "ledge "*) ;;
    *) fail "--version does not reach the program" ;;
esac

# An IPv6 wildcard listener, in a container that may have no IPv6.
for listen in 0.0.0.0:8484 "[::]:8484"; do
    start --env "LEDGE_LISTEN=$listen"
    password=$(in_container cat /data/first-password)
    is "the first password is private" "600 1000:1000" "$(in_container stat -c '%a %u:%g' /data/first-password)"
    if docker logs "$name" 2>&1 | grep -qF "$password"; then
        fail "the log contains the first password"
    fi
    echo 'correct horse' | in_container ledge user add ada --password-stdin >/dev/null \
        || fail "root cannot add a user with docker exec"
    echo 'correct horse' | in_container ledge user passwd admin --password-stdin >/dev/null
    in_container test ! -e /data/first-password || fail "the first password is kept after a change"
    in_container ledge backup /data/copy.db >/dev/null
    is "the owner of every file" "1000:1000" "$(in_container sh -c 'stat -c %u:%g /data/* | sort -u')"

    # An open stream does not delay the end beyond the ten seconds of `docker stop`.
    address="http://$(docker port "$name" 8484/tcp | head -n 1)"
    : >"$work/stream"
    node tests/docker/open-stream.mjs "$address" ada 'correct horse' >"$work/stream" 2>&1 &
    for _ in $(seq 100); do
        grep -q open "$work/stream" && break
        sleep 0.1
    done
    grep -q open "$work/stream" || fail "no event stream: $(cat "$work/stream")"
    docker stop "$name" >/dev/null
    is "the exit status after docker stop" 0 "$(inspect '{{.State.ExitCode}}')"
    docker rm "$name" >/dev/null
    docker volume rm "$name" >/dev/null
done

# A secret that only root on the host may read.
start --volume "$work/secret:/run/secrets/password:ro" --env PUID=1234 --env PGID=1235 \
    --env LEDGE_ADMIN_PASSWORD_FILE=/run/secrets/password
node tests/docker/open-stream.mjs --once "http://$(docker port "$name" 8484/tcp | head -n 1)" \
    admin 'correct horse' || fail "the password of the secret does not open the account"
docker stop "$name" >/dev/null
echo "test-docker: the image runs, stops and keeps its secrets ($(docker image inspect --format '{{.Size}}' "$image") bytes)"
