#!/bin/sh
# Answers with the last two arguments, encoded, and the size of its input, as stream titles.
hex() { printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n'; }
before=
last=
for argument; do
    before=$last
    last=$argument
done
input=$(cat | wc -c | tr -d ' ')
printf '{"format": {"format_name": "avi"}, "streams": [
  {"codec_type": "audio", "tags": {"title": "%s"}},
  {"codec_type": "audio", "tags": {"title": "%s"}},
  {"codec_type": "audio", "tags": {"title": "%s"}}]}' "$(hex "$before")" "$(hex "$last")" "$input"
