#!/usr/bin/env bash
# Walks through the tour of the README, word for word, in an empty folder and
# against a freshly built server, then looks at what the players were mailed.
# Only the ports differ from the defaults: any free ones.
#
# KNOTPOST_BIN names another program to walk with.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"

if [ -z "${KNOTPOST_BIN:-}" ]; then
    cargo build --quiet --package knotpost --bin knotpost
    target=$(cargo metadata --format-version 1 --no-deps |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
    KNOTPOST_BIN="$target/debug/knotpost"
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/bin" "$place/walk"
ln -s "$KNOTPOST_BIN" "$place/bin/knotpost"

# Nothing of the caller's settings may help or hinder.
for name in $(compgen -e KNOTPOST_ || true); do unset "$name"; done
export PATH="$place/bin:$PATH" NO_COLOR=1
export KNOTPOST_HTTP__LISTEN=127.0.0.1:0 KNOTPOST_SMTP__LISTEN=127.0.0.1:0

# The blocks in their order, stopping at the first command that fails, and with
# the server stopped however it ends.
{
    printf 'set -euo pipefail\ntrap %s EXIT\n' "'kill \"\${server:-}\" 2>/dev/null || true'"
    python3 tests/tour.py blocks README.md
} >"$place/tour"

cd "$place/walk"
if ! timeout --kill-after=20 180 bash "$place/tour" >"$place/output" 2>&1 </dev/null; then
    cat "$place/output"
    echo "tour: a step of the README failed; the last lines above say which" >&2
    exit 1
fi
python3 "$root/tests/tour.py" check "$place/tour" "$place/output" data
