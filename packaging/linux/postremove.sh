#!/bin/sh
# After a removal: data, settings and the user stay. After a purge ("purge" of dpkg; rpm knows none) they go, too.
set -e
user=@NAME@
if [ "$1" = purge ]; then
  rm -rf /var/lib/mon/$user /var/cache/mon/$user /etc/default/$user /etc/mon/${user#mon-}.yml /etc/systemd/system/$user.service.d
  for parent in /var/lib/mon /var/cache/mon /etc/mon; do rmdir $parent 2>/dev/null || true; done
  if getent passwd $user >/dev/null; then userdel $user || true; fi
  if getent group $user >/dev/null; then groupdel $user || true; fi
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
