#!/bin/sh
# A program for the tests of processes: says what it was started with, or waits.
case "$1" in
env) echo "libraries=$LD_LIBRARY_PATH files=$(ulimit -n) core=$(ulimit -c) folder=$(pwd)" ;;
fail) echo "the reason"; exit 3 ;;
full) echo "OSError: [Errno 28] No space left on device"; exit 1 ;;
die) kill -9 $$ ;;
wait) sleep 300 & echo "$!" >"$2"; wait ;;
*) sleep 300 ;;
esac
