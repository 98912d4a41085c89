#!/bin/sh
# Installs HAProxy from the system's packages where the tests would find none, and where that is allowed. Where it is
# not, the tests say what they need. The service that comes with the package is not needed: RUNLEVEL=1 keeps Debian's
# init script from starting it, and on a machine with systemd it may be disabled.
PATH=$PATH:/usr/sbin
command -v haproxy >/dev/null && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
echo "HAProxy is missing: installing haproxy"
if ! command -v apt-get >/dev/null ||
	! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends haproxy; }; then
	echo "HAProxy could not be installed" >&2
fi
