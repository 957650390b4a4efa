// Platform: what the agent does differently on Windows and macOS, all in one place. Commands are run by `src/execution`
// (`cmd /c` on Windows, `sh -c` in a process group elsewhere). Only Linux has been run; docs/packages.md says so.
import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

/** How one agent a directory is made sure of: a socket whose name the system frees when its process ends, however it ends. */
export type QueueLock =
  | { readonly type: 'name'; readonly address: string }
  /** A socket with a file, which stays behind when its process is killed. */
  | { readonly type: 'file'; readonly address: string };

export interface PlatformRules {
  readonly settingsFile: string;
  readonly cacheDir: string;
  /** The reference product's agent takes StatsD over TCP on Windows. */
  readonly statsd: 'udp' | 'tcp';
  /** Whether a folder can be synced to the disk, so that new names in it outlive a loss of power. */
  readonly syncsFolders: boolean;
  readonly queueLock: (cacheDir: string) => QueueLock;
}

const nameOf = (cacheDir: string): string =>
  `mon-agent-${createHash('sha256').update(resolve(cacheDir)).digest('hex').slice(0, 32)}`;

const unix: PlatformRules = {
  settingsFile: '/etc/mon/agent.yml',
  cacheDir: '/var/cache/mon/mon-agent',
  statsd: 'udp',
  syncsFolders: true,
  queueLock: (cacheDir) => ({ type: 'file', address: join(resolve(cacheDir), 'owner.sock') }),
};

const differences: Partial<Record<NodeJS.Platform, Partial<PlatformRules>>> = {
  linux: {
    // An abstract socket: its name starts with a zero byte, and it has no file.
    queueLock: (cacheDir) => ({ type: 'name', address: `\0${nameOf(cacheDir)}` }),
  },
  freebsd: { settingsFile: '/usr/local/etc/mon/agent.yml' },
  win32: {
    settingsFile: 'C:\\ProgramData\\mon\\config\\agent.yml',
    cacheDir: 'C:\\ProgramData\\mon\\cache\\mon-agent',
    statsd: 'tcp',
    syncsFolders: false,
    queueLock: (cacheDir) => ({ type: 'name', address: `\\\\.\\pipe\\${nameOf(cacheDir)}` }),
  },
};

export const rulesOf = (platform: NodeJS.Platform): PlatformRules => ({ ...unix, ...differences[platform] });

/** Those of this machine. */
export const platform: PlatformRules = rulesOf(process.platform);
