// What the agent's tests share: settings, a log that can be read, check requests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/agent/clock.ts';
import { resolveConfig } from '../../src/agent/config.ts';
import type { AgentConfig } from '../../src/agent/flags.ts';
import { createSupervision, type Supervision } from '../../src/agent/supervision.ts';
import { createLog, type Logger } from '../../src/program/log.ts';
import { fakeClock } from './fake-clock.ts';

/** A folder that is gone when the test process is. */
export const tempFolder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'mon-agent-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  return path;
};
process.setMaxListeners(0);

const noFile = () => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
};

/** Settings as flags would give them. Listeners are off, waits are short, the cache is a fresh directory. */
export const configOf = (flags: Record<string, string> = {}): AgentConfig => {
  const given = {
    name: 'web-01',
    'cache-dir': tempFolder(),
    'disable-api': 'true',
    'disable-sockets': 'true',
    'statsd-disable': 'true',
    'retry-min': '10ms',
    'retry-max': '40ms',
    ...flags,
  };
  const asLists = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [value]]));
  return resolveConfig({ flags: asLists, environment: {}, readFile: noFile }).config;
};

export interface ReadableLog {
  readonly log: Logger;
  lines(): Record<string, unknown>[];
  messages(): string[];
  text(): string;
}

export const readableLog = (): ReadableLog => {
  const chunks: string[] = [];
  const log = createLog('trace', { write: (line: string) => void chunks.push(line) });
  const lines = () => chunks.map((chunk) => JSON.parse(chunk) as Record<string, unknown>);
  return { log, lines, messages: () => lines().map(({ msg }) => String(msg)), text: () => chunks.join('') };
};

/** The supervision tree of an agent on a simulated clock; restarts are not delayed by chance. */
export const supervisionOf = (log: Logger, clock: Clock = fakeClock()): Supervision =>
  createSupervision({ clock, log, random: () => 0 });

let issued = 1_700_000_000;

/** A check request; every one is issued a second after the last. */
export const requestOf = (command: string, config: object = {}, request: object = {}) => {
  issued += 1;
  return {
    config: {
      command,
      interval: 60,
      publish: true,
      handlers: [],
      subscriptions: ['linux'],
      metadata: { name: 'cpu', namespace: 'default' },
      ...config,
    },
    assets: [],
    hooks: [],
    issued,
    ...request,
  };
};
