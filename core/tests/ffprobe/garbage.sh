#!/bin/sh
printf '{"format": \001\377 not json'
