#!/bin/sh
# Installs PostgreSQL from the system's packages where the tests would find none,
# and where that is allowed. Where it is not, the tests say what they need.
[ -n "${SIGNET_TEST_DATABASE:-}" ] && exit 0
for bin in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql@*/bin /usr/local/opt/postgresql@*/bin; do
	[ -x "$bin/initdb" ] && exit 0
done
command -v initdb >/dev/null && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
echo "PostgreSQL is missing: installing postgresql"
if ! command -v apt-get >/dev/null ||
	! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql; }; then
	echo "PostgreSQL could not be installed" >&2
fi
