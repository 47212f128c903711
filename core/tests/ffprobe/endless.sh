#!/bin/sh
# More output than any answer has, until nobody reads on.
exec yes '{"format": {"format_name": "avi"}}'
