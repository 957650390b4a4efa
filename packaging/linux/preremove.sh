#!/bin/sh
# Before a removal ("remove" of dpkg, 0 of rpm), not before an upgrade: stops the service. Data stays.
set -e
if [ "$1" = remove ] || [ "$1" = 0 ]; then
  if [ -d /run/systemd/system ]; then systemctl --no-reload disable --now @NAME@.service || true; fi
fi
