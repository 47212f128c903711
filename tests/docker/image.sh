#!/bin/sh
# The real program as the image runs it, where there is no engine for containers: a root of its own
# that is read-only but for /data and /tmp, the rights that docker/compose.yml leaves, and the
# entrypoint. Shell and tools are this machine's.
# usage: tests/docker/image.sh [LEDGE]
set -eu
cd "$(dirname "$0")/../.."

if [ "${IN_NAMESPACE:-}" != 1 ]; then
    if [ "$(id -u)" != 0 ] || ! unshare --mount --pid --fork true 2>/dev/null; then
        echo "test-docker: skipped, it needs root and namespaces for mounts"
        exit 0
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # Mounts end with the namespace, and the folder is empty then.
    IN_NAMESPACE=1 HOUSE=$work unshare --mount --pid --fork --kill-child sh tests/docker/image.sh \
        "$(realpath "${1:-${CARGO_TARGET_DIR:-target}/debug/ledge}")"
    exit
fi

root=$HOUSE/root
mkdir -p "$root" && cd "$root"
mkdir usr etc proc dev data media tmp
ln -s usr/bin bin && ln -s usr/sbin sbin && ln -s usr/lib lib && ln -s usr/lib64 lib64
for folder in usr etc; do
    mount --bind "/$folder" "$folder"
    mount -o remount,bind,ro "$folder"
done
mount -t proc proc proc
mount --bind /dev dev
mount -t tmpfs none data
mount -t tmpfs none tmp
mkdir "$HOUSE/media" && echo text >"$HOUSE/media/a.txt"
mount --bind "$HOUSE/media" media
mount -o remount,bind,ro media
mkdir tmp/bin
cp "$1" tmp/bin/ledge
cd - >/dev/null
cp docker/entrypoint.sh "$root/tmp/bin/entrypoint.sh"

# Becomes the process in the container.
enter() {
    exec chroot "$root" env -i PATH=/usr/bin:/bin LEDGE_LISTEN=127.0.0.1:28484 \
        LEDGE_DATABASE=/data/ledge.db LEDGE_ADMIN_PASSWORD='correct horse' \
        LEDGE_ENTRYPOINT_PROGRAM=/tmp/bin/ledge PUID=1234 PGID=1235 \
        setpriv --bounding-set=-all,+chown,+dac_read_search,+kill,+setgid,+setuid --no-new-privs "$@"
}
inside() { (enter "$@"); }
ledge() { inside /tmp/bin/entrypoint.sh "$@" 2>&1; }
is() { # is WHAT EXPECTED ACTUAL
    [ "$2" = "$3" ] || {
        echo "test-docker: $1: expected '$2', got '$3'" >&2
        cat "$HOUSE/log" >&2
        exit 1
    }
}
begins() { # begins WHAT BEGINNING ACTUAL
    case $3 in
        "$2"*) ;;
        *) is "$1" "$2..." "$3" ;;
    esac
}
owners() { (cd "$root/data" && stat -c '%n %u:%g %a' "$@"); }

enter /tmp/bin/entrypoint.sh >"$HOUSE/log" 2>&1 &
server=$!
for _ in $(seq 100); do
    inside /tmp/bin/ledge healthcheck >/dev/null 2>&1 && break
    sleep 0.1
done
inside /tmp/bin/ledge healthcheck >/dev/null
is "the database is the chosen owner's" "ledge.db 1234:1235 600" "$(owners ledge.db)"
# As `docker exec` starts it: without the entrypoint, as root.
direct() { inside /tmp/bin/ledge "$@" 2>&1; }
is "root adds a user as the owner of the data folder" "Made the user ada." \
    "$(echo 'correct horse' | direct user add ada --password-stdin)"
begins "root backs up as the owner of the data folder" "Wrote /data/direct.db, " \
    "$(direct backup /data/direct.db)"
is "the file is the owner's" "direct.db 1234:1235 600" "$(owners direct.db)"
is "no other file is root's" "" "$(find "$root/data" ! -user 1234)"
refused=$(setpriv --bounding-set=-setuid,-setgid chroot "$root" env -i PATH=/usr/bin:/bin \
    LEDGE_DATABASE=/data/ledge.db /tmp/bin/ledge user list 2>&1) && status=0 || status=$?
is "without the rights to switch it refuses" 1 "$status"
begins "and names the owner in one line" "ledge: /data belongs to 1234:1235" "$refused"
begins "the version is told through the entrypoint" "ledge " "$(ledge --version)"
is "a user is added beside the server" "Made the user marit." \
    "$(echo 'correct horse' | ledge user add marit --password-stdin)"
begins "media can be read" "Made the library Texts" "$(ledge library add Texts /media)"
begins "a backup is made" "Wrote /data/backup.db, checked: 3 users, 1 library, " \
    "$(ledge backup /data/backup.db)"
is "and is the owner's" "backup.db 1234:1235 600" "$(owners backup.db)"
begins "the database is whole" "/data/ledge.db is whole" "$(ledge check)"
begins "nothing is restored beneath the server" "ledge: Another server is running" \
    "$(ledge restore /data/backup.db || true)"
kill -TERM "$server"
wait "$server" && status=0 || status=$?
is "it ends well" 0 "$status"
begins "then it is restored" "Restored /data/ledge.db" "$(ledge restore /data/backup.db)"
is "and stays the owner's" "ledge.db 1234:1235 600" "$(owners ledge.db)"
is "the media are as they were" "0:0" "$(stat -c %u:%g "$root/media/a.txt")"
echo "test-docker: the program runs as in the image"
