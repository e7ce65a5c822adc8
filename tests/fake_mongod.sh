#!/bin/sh
# Stands in for a mongod that fares as FAKE_MONGOD says.
if [ "$1" = --version ]; then
  [ "$FAKE_MONGOD" = no-library ] && {
    echo "mongod: error while loading shared libraries: libssl.so.1.1: cannot open" >&2
    exit 127
  }
  echo "db version v6.0.99"
  exit 0
fi
case "$FAKE_MONGOD" in
dies)
  echo '{"t":{},"s":"I","c":"CONTROL","msg":"starting"}'
  echo '{"t":{},"s":"F","c":"STORAGE","msg":"the disk is on fire","attr":{"disk":"sda"}}'
  echo '{"t":{},"s":"I","c":"CONTROL","msg":"now exiting"}'
  exit 14 ;;
full)
  echo '{"t":{},"s":"E","c":"WT","msg":"WiredTiger error message","attr":{"message":"No space left on device"}}'
  exit 100 ;;
port-taken)
  echo '{"t":{},"s":"E","c":"CONTROL","msg":"Failed to set up listener","attr":{"error":{"errmsg":"Address already in use"}}}'
  exit 48 ;;
port-taken-once)
  if [ -e "$FAKE_MARK" ]; then
    exec "$FAKE_REAL" "$@"
  fi
  : >"$FAKE_MARK"
  echo '{"t":{},"s":"E","c":"CONTROL","msg":"Failed to set up listener","attr":{"error":{"errmsg":"Address already in use"}}}'
  exit 48 ;;
*)
  while :; do sleep 1; done ;;
esac
