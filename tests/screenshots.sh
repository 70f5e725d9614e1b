#!/usr/bin/env bash
# Photographs the server's mails with Chromium into a folder, to be looked at:
#
#   tests/screenshots.sh [FOLDER]      default: target/screenshots
#
# KNOTPOST_BIN names another program than the freshly built one.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
if [ -z "${KNOTPOST_BIN:-}" ]; then
    cargo build --quiet --package knotpost --bin knotpost
    KNOTPOST_BIN="$target/debug/knotpost"
fi
exec python3 tests/screenshots.py "$KNOTPOST_BIN" "${1:-$target/screenshots}"
