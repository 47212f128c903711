#!/bin/sh
for last; do :; done
printf 'a first message\n%s: Invalid data found\033[0m\n' "$last" >&2
exit 1
