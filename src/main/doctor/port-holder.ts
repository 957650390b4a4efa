// Finds the process that listens on a local port, from /proc: the socket by its address, then the process with its inode.
// Processes of other users are visible to root only.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Protocol = 'tcp' | 'udp';

export interface Holder {
  readonly pid: number;
  readonly command: string;
}

const listening = '0A';

const inodesOf = (protocol: Protocol, port: number): ReadonlySet<string> => {
  const inodes = new Set<string>();
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of [protocol, `${protocol}6`]) {
    let text: string;
    try {
      text = readFileSync(`/proc/net/${table}`, 'utf8');
    } catch {
      continue;
    }
    for (const line of text.split('\n').slice(1)) {
      const fields = line.trim().split(/\s+/);
      const [, local = '', , state = ''] = fields;
      const counts = protocol === 'udp' || state === listening;
      if (counts && local.endsWith(`:${hex}`)) inodes.add(`socket:[${fields[9]}]`);
    }
  }
  return inodes;
};

const holds = (pid: string, inodes: ReadonlySet<string>): boolean => {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`)));
  } catch {
    // The process has ended, or belongs to another user.
    return false;
  }
};

/** Undefined if it cannot be determined. */
export const portHolder = (protocol: Protocol, port: number): Holder | undefined => {
  const inodes = inodesOf(protocol, port);
  if (inodes.size === 0) return undefined;
  const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && holds(name, inodes));
  if (pid === undefined) return undefined;
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  return { pid: Number(pid), command: words.join(' ').slice(0, 120) };
};
