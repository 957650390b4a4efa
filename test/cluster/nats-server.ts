// A real nats-server for tests: the one on the PATH, else one that is built with Go into the cache, and only where
// `MON_TEST_REQUIRE` names `nats`: plain `npm test` on a machine with Node alone says that it skipped those tests.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '../free-port.ts';
import { isRequired, skipWithout } from '../requirements.ts';
import { type Broker, brokerOf, onPath } from '../wire/earlier/brokers.ts';

const cacheDir = resolve('node_modules/.cache/mon-test');
const builtPath = join(cacheDir, 'nats-server');
const version = 'v2.15.0';

/** Why tests that need a server have to be skipped here, or false. Throws where they are required. */
export const natsSkipReason = (): string | false => {
  if (onPath('nats-server') !== undefined || existsSync(builtPath)) return false;
  if (isRequired('nats') && onPath('go') !== undefined) return false;
  const how = 'put nats-server on the PATH, or set MON_TEST_REQUIRE=nats with go on the PATH';
  return skipWithout('nats', `no NATS server: ${how}`);
};

export interface NatsServer extends Broker {
  readonly port: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** Writes the configuration anew; the server reads it at its next start, or at once with `signal('SIGHUP')`. */
  configure(lines: readonly string[]): void;
}

/** `lines` are added to a configuration that listens on a free local port. */
export const startNats = async (lines: readonly string[] = []): Promise<NatsServer> => {
  const command = onPath('nats-server') ?? built();
  const port = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'mon-nats-'));
  const file = join(directory, 'nats.conf');
  const configure = (more: readonly string[]): void =>
    writeFileSync(file, [`listen: "127.0.0.1:${port}"`, ...more, ''].join('\n'));
  configure(lines);
  let pid = 0;
  const launch = () => {
    const child = spawn(command, ['-c', file], { stdio: 'ignore', detached: true, cwd: directory });
    pid = child.pid ?? 0;
    return child;
  };
  const broker = await brokerOf(`nats://127.0.0.1:${port}`, directory, launch, () => greets(port));
  return {
    ...broker,
    port,
    configure,
    get pid() {
      return pid;
    },
  };
};

/** A NATS server speaks first. */
const greets = (port: number): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(2_000, () => socket.destroy());
    socket.once('data', () => {
      settle(true);
      socket.destroy();
    });
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
  });

/** About 15 s. Two test files may do it at the same time: each moves its own result into place. */
const built = (): string => {
  if (existsSync(builtPath)) return builtPath;
  console.error(`building nats-server ${version} into ${builtPath} (once, about 15 s)`);
  mkdirSync(cacheDir, { recursive: true });
  const GOBIN = mkdtempSync(join(cacheDir, 'building-'));
  try {
    const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod' };
    execFileSync('go', ['install', `github.com/nats-io/nats-server/v2@${version}`], { env, stdio: 'pipe' });
    renameSync(join(GOBIN, 'nats-server'), builtPath);
  } finally {
    rmSync(GOBIN, { recursive: true, force: true });
  }
  return builtPath;
};
