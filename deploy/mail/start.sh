#!/bin/sh
# Writes down which domain belongs to the games, then runs Postfix in front.
set -eu
address="${KNOTPOST_SERVER__ADDRESS:?the address players write to}"
printf '%s lmtp:inet:knotpost:2424\n' "${address##*@}" >/etc/postfix/games
exec postfix start-fg
