#!/bin/sh
# The container's entrypoint with the users and files of this machine: what it runs as whom, and
# what it gives to whom. Needs root, as the container does.
set -eu
cd "$(dirname "$0")/../.."

if [ "$(id -u)" != 0 ]; then
    echo "test-docker: skipped, it needs root"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir "$work/media"
touch "$work/media/book.epub"

cat >"$work/program" <<'PROGRAM'
#!/bin/sh
echo "$(id -u):$(id -g) $(umask) $*"
PROGRAM
chmod 755 "$work/program"
cp docker/entrypoint.sh "$work/entrypoint.sh"
chmod 755 "$work/entrypoint.sh"
export LEDGE_ENTRYPOINT_DATA="$work/data" LEDGE_ENTRYPOINT_PROGRAM="$work/program"

failures=0
is() { # is WHAT EXPECTED ACTUAL
    if [ "$2" != "$3" ]; then
        echo "test-docker: $1: expected '$2', got '$3'" >&2
        failures=$((failures + 1))
    fi
}
owner() { stat -c %u:%g "$1"; }
# No more rights than docker/compose.yml leaves to root.
bounded() {
    setpriv --bounding-set=-all,+chown,+dac_read_search,+kill,+setgid,+setuid --no-new-privs "$@"
}
run() { bounded "$work/entrypoint.sh" "$@" 2>&1 || true; }
umask 022

is "the server runs as 1000:1000" "1000:1000 0022 serve" "$(run)"
is "the data folder is made and given away" 1000:1000 "$(owner "$work/data")"
is "ids are chosen" "4242:4343 0022 serve --watch on" "$(PUID=4242 PGID=4343 run --watch on)"
is "the data folder follows" 4242:4343 "$(owner "$work/data")"

# What belongs to the right owner already is left alone.
touch "$work/data/ledge.db"
chown 4242:4343 "$work/data/ledge.db"
before=$(stat -c %z "$work/data/ledge.db")
PUID=4242 PGID=4343 run >/dev/null
is "a right owner is not set again" "$before" "$(stat -c %z "$work/data/ledge.db")"

# Links lead nowhere.
ln -s "$work/media/book.epub" "$work/data/link"
PUID=5151 PGID=5151 run >/dev/null
is "the database changes hands" 5151:5151 "$(owner "$work/data/ledge.db")"
is "what a link points to does not" 0:0 "$(owner "$work/media/book.epub")"

is "a command runs as the database's owner" "5151:5151 0022 user list" "$(PUID=99 PGID=99 run user list)"
is "the name of the program before a command is accepted" "5151:5151 0022 user list" \
    "$(PUID=99 PGID=99 run ledge user list)"
is "and leaves it with that owner" 5151:5151 "$(owner "$work/data/ledge.db")"
is "the mask is set" "5151:5151 0077 serve" "$(PUID=5151 PGID=5151 UMASK=077 run)"
is "root may stay root" "0:0 0022 serve" "$(PUID=0 PGID=0 run)"

for wrong in PUID=me PUID=99999999999 PGID=-1 PGID=4294967295 UMASK=rwx UMASK=0o22; do
    answer=$(bounded env "$wrong" "$work/entrypoint.sh" 2>&1) && status=0 || status=$?
    is "$wrong ends the start" 1 "$status"
    is "$wrong: one line names variable and value" 1 \
        "$(printf '%s\n' "$answer" | grep -c "${wrong%%=*}: '${wrong#*=}'")"
done

# Questions about the program itself touch no data.
mv "$work/data" "$work/data.aside"
for question in --version -V --help -h help; do
    is "$question is for the program" "0:0 0022 $question" "$(run "$question")"
    is "ledge $question is the same" "0:0 0022 $question" "$(run ledge "$question")"
    is "$question creates no data folder" no "$([ -e "$work/data" ] && echo yes || echo no)"
done
mv "$work/data.aside" "$work/data"

# A secret that only root may read reaches the program; one that it can read stays a file.
cp "$work/program" "$work/program.plain"
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
echo "$(id -u) [${LEDGE_ADMIN_PASSWORD:-}] [${LEDGE_ADMIN_PASSWORD_FILE:-}]"
PROGRAM
printf 'correct horse\n' >"$work/secret"
chmod 400 "$work/secret"
is "a secret of root's is read before root's rights end" "5151 [correct horse] []" \
    "$(PUID=5151 PGID=5151 LEDGE_ADMIN_PASSWORD_FILE="$work/secret" run)"
is "two values for one setting are left for the program to refuse" \
    "5151 [direct] [$work/secret]" \
    "$(PUID=5151 PGID=5151 LEDGE_ADMIN_PASSWORD=direct LEDGE_ADMIN_PASSWORD_FILE="$work/secret" run)"
is "so is an absent file" "5151 [] [$work/none]" \
    "$(PUID=5151 PGID=5151 LEDGE_ADMIN_PASSWORD_FILE="$work/none" run)"
chmod 444 "$work/secret"
is "a secret that the program can read stays a file" "5151 [] [$work/secret]" \
    "$(PUID=5151 PGID=5151 LEDGE_ADMIN_PASSWORD_FILE="$work/secret" run)"
mv "$work/program.plain" "$work/program"

# As with --user: nothing is changed, the program just runs.
chown 0:0 "$work/data"
is "somebody else runs the program only" "777:777 0022 serve" \
    "$(setpriv --reuid 777 --regid 777 --clear-groups "$work/entrypoint.sh" 2>&1)"
is "and changes no owner" 0:0 "$(owner "$work/data")"

# The rights that are left, of the program and of whatever it starts.
cat >"$work/program" <<'PROGRAM'
#!/bin/sh
grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs|Groups):' /proc/self/status | tr -d '\t\n '
PROGRAM
none=0000000000000000
nothing="Groups:CapInh:${none}CapPrm:${none}CapEff:${none}CapAmb:${none}NoNewPrivs:1"
is "no right and no group is left" "$nothing" "$(run)"
is "nor where nobody took any before" "$nothing" \
    "$(setpriv --inh-caps=+chown,+setuid "$work/entrypoint.sh" 2>&1)"

[ "$failures" = 0 ] && echo "test-docker: the entrypoint does what it says"
exit "$failures"
