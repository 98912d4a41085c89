#!/bin/sh
# Installs Patroni, etcd and PgBouncer from the system's packages where `make torture` would find none, and where that
# is allowed. Where it is not, the test says what it needs. The services that come with the packages are not needed:
# RUNLEVEL=1 keeps Debian's init scripts from starting them, and on a machine with systemd they may be disabled.
PATH=$PATH:/usr/sbin
missing=
for pair in patroni:patroni etcd:etcd-server pgbouncer:pgbouncer; do
	command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
done
[ -z "$missing" ] && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
echo "installing$missing"
# Patroni speaks to etcd by way of python3-etcd.
if ! command -v apt-get >/dev/null ||
	! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends $missing python3-etcd; }; then
	echo "$missing could not be installed" >&2
fi
