#!/bin/sh
# Installs from the system's packages what the tests of the packages look at them with, where it is missing and where
# that is allowed. Where it is not, the tests say what they need.
missing=
for pair in dpkg:dpkg rpm:rpm man:man-db mandoc:mandoc bash:bash zsh:zsh fish:fish script:bsdutils ssh-keygen:openssh-client \
	systemd-analyze:systemd; do
	command -v "${pair%%:*}" >/dev/null || missing="$missing ${pair##*:}"
done

# What the tests install goes into namespaces of their own.
spaces="--mount --net"
[ "$(id -u)" -eq 0 ] || spaces="$spaces --user --map-root-user --map-auto"
if ! said=$(unshare $spaces mount -t tmpfs tmpfs /tmp 2>&1); then
	echo "PACKAGES AND IMAGE ARE NOT INSTALLED BY THE TESTS: no namespace can be made here, which takes CAP_SYS_ADMIN" \
		"or a user who may ($said)" >&2
fi

[ -z "$missing" ] && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
echo "installing$missing"
if ! command -v apt-get >/dev/null ||
	! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; }; then
	echo "$missing could not be installed" >&2
fi
