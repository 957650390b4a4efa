#!/bin/sh
# After an installation or an upgrade. Makes the user once, and the folders of its data; what is in them is never touched.
set -e
user=@NAME@
if ! getent group $user >/dev/null; then groupadd --system $user; fi
if ! getent passwd $user >/dev/null; then
  useradd --system --gid $user --home-dir /var/lib/mon --no-create-home --shell /usr/sbin/nologin $user
fi
for parent in /var/lib/mon /var/cache/mon; do
  [ -d $parent ] || install -d -m 0755 $parent
  [ -d $parent/$user ] || install -d -m 0700 -o $user -g $user $parent/$user
done
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
  # After an upgrade the new program runs. A first installation leaves starting to you.
  systemctl try-restart $user.service || true
fi
