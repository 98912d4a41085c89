#!/bin/sh
# Installs Chromium from the system's packages where the tests would find none, and
# where that is allowed. Where it is not, the tests say what they need.
command -v chromium >/dev/null && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@"; fi; }
echo "Chromium is missing: installing chromium"
if ! command -v apt-get >/dev/null ||
	! { as_root apt-get update -qq && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; }; then
	echo "Chromium could not be installed" >&2
fi
