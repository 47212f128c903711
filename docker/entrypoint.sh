#!/bin/sh
# Runs Ledge as PUID:PGID (1000:1000 unless told otherwise), which then own /data.
#
# Started as root it makes /data theirs and gives up its rights; started as somebody else
# (--user), it only runs the program. Media folders are never touched.
set -eu

data=${LEDGE_ENTRYPOINT_DATA:-/data}
program=${LEDGE_ENTRYPOINT_PROGRAM:-/usr/local/bin/ledge}

fail() {
    echo "entrypoint: $1" >&2
    exit 1
}

is_number() {
    case $1 in
        '' | *[!0-9]*) return 1 ;;
    esac
}

if [ -n "${UMASK:-}" ]; then
    case $UMASK in
        *[!0-7]* | ?????*) fail "UMASK: '$UMASK' is no mask in octal digits, like 022." ;;
    esac
    umask "$UMASK"
fi

# Arguments that begin with a dash, or none, are for the server.
case ${1:-} in
    '' | -*) set -- serve "$@" ;;
esac

if [ "$(id -u)" != 0 ]; then
    exec "$program" "$@"
fi

uid=${PUID:-1000}
gid=${PGID:-1000}
is_number "$uid" || fail "PUID: '$uid' is no number."
is_number "$gid" || fail "PGID: '$gid' is no number."

# A command beside the server writes as the database's owner, whoever that is: a file of root's
# would lock the server out.
if [ "$1" != serve ] && [ -e "$data/ledge.db" ]; then
    uid=$(stat -c %u "$data/ledge.db")
    gid=$(stat -c %g "$data/ledge.db")
fi

mkdir -p "$data"
# Only what has another owner, and nothing behind links or on other file systems.
find "$data" -xdev \( ! -uid "$uid" -o ! -gid "$gid" \) -exec chown --no-dereference "$uid:$gid" {} + \
    || fail "$data cannot be given to $uid:$gid. Is the volume read-only?"

if [ "$uid" = 0 ]; then
    exec "$program" "$@"
fi
exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --inh-caps=-all --no-new-privs \
    "$program" "$@"
