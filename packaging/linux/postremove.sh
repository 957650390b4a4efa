#!/bin/sh
# After a removal. /var/lib/mon, /var/cache/mon, /etc/mon and the user mon stay, also when the package is purged: remove them
# by hand when nobody needs the data.
set -e
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
