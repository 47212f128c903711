#!/bin/sh
# Never answers, and what it starts keeps its output open.
sleep 60 &
sleep 60
