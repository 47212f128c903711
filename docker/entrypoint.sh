#!/bin/sh
# Runs Ledge as PUID:PGID (1000:1000 by default), which become the owner of /data.
#
# Started as root, it changes the owner of /data and then gives up root's rights. Started as another
# user (--user), it only runs the program. It never touches media folders.
set -eu

data=${LEDGE_ENTRYPOINT_DATA:-/data}
program=${LEDGE_ENTRYPOINT_PROGRAM:-/usr/local/bin/ledge}

# The largest user id is reserved: it means "no change" to the system calls.
MAX_ID=4294967294

fail() {
    echo "entrypoint: $1" >&2
    exit 1
}

check_id() { # check_id VARIABLE VALUE
    case $2 in
        '' | *[!0-9]* | ???????????*) ;;
        *) [ "$2" -gt "$MAX_ID" ] || return 0 ;;
    esac
    fail "$1: '$2' is not a numeric id. Use a number from 0 to $MAX_ID, such as 1000."
}

# Secrets that only root may read are read here. The variable replaces the one with the file.
read_secrets() { # read_secrets UID GID
    for name in $(env | sed -n 's/^\(LEDGE_[A-Z_]*\)_FILE=.*/\1/p'); do
        eval "file=\${${name}_FILE} direct=\${$name:-}"
        # The program reports an absent file, and two values for one setting.
        if [ -n "$direct" ] || [ ! -f "$file" ]; then
            continue
        fi
        if as "$1" "$2" test -r "$file"; then
            continue
        fi
        value=$(cat "$file") || fail "${name}_FILE: $file cannot be read."
        export "$name=$value"
        unset "${name}_FILE"
    done
}

as() { # as UID GID COMMAND...
    as_uid=$1 as_gid=$2
    shift 2
    setpriv --reuid "$as_uid" --regid "$as_gid" --clear-groups --inh-caps=-all --no-new-privs "$@"
}

if [ -n "${UMASK:-}" ]; then
    case $UMASK in
        *[!0-7]* | ?????*) fail "UMASK: '$UMASK' is not an octal mask such as 022." ;;
    esac
    umask "$UMASK"
fi

# `docker run IMAGE ledge COMMAND` is the same as `docker run IMAGE COMMAND`.
if [ "${1:-}" = ledge ]; then
    shift
fi

case ${1:-} in
    -h | --help | -V | --version | help) exec "$program" "$@" ;;
    # Other arguments that begin with a dash, or none, are for the server.
    '' | -*) set -- serve "$@" ;;
esac

if [ "$(id -u)" != 0 ]; then
    exec "$program" "$@"
fi

uid=${PUID:-1000}
gid=${PGID:-1000}
check_id PUID "$uid"
check_id PGID "$gid"

# A command next to the server runs as the owner of the database. A file of root's would lock the
# server out.
if [ "$1" != serve ] && [ -e "$data/ledge.db" ]; then
    uid=$(stat -c %u "$data/ledge.db")
    gid=$(stat -c %g "$data/ledge.db")
fi

mkdir -p "$data"
# Only files of another owner; nothing behind links or on other file systems.
find "$data" -xdev \( ! -uid "$uid" -o ! -gid "$gid" \) -exec chown --no-dereference "$uid:$gid" {} + \
    || fail "the owner of $data cannot be changed to $uid:$gid. Is the volume read-only?"

if [ "$uid" = 0 ]; then
    exec "$program" "$@"
fi
read_secrets "$uid" "$gid"
exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --inh-caps=-all --no-new-privs \
    "$program" "$@"
