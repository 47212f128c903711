#!/bin/sh
# Fills the pipe of messages before it answers.
i=0
while [ $i -lt 4000 ]; do
    echo "a warning that nobody asked for, number $i" >&2
    i=$((i + 1))
done
printf '{"format": {"format_name": "avi"}}'
