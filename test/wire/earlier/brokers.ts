// Real brokers for tests: redis-server and rabbitmq-server on free local ports, each in its own directory, stopped
// by the test that started it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect } from 'amqplib';
import { Redis } from 'ioredis';
import type { RedisOptions } from '../../../src/wire/earlier/redis-options.ts';
import { freePort } from '../../free-port.ts';
import { isRequired, skipWithout } from '../../requirements.ts';

export interface Broker {
  readonly url: string;
  /** To the server and all it started. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the server as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The commands of a distribution's server packages are not always on the PATH of a user. */
export const onPath = (command: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/lib/rabbitmq/bin']
    .map((directory) => join(directory, command))
    .find((path) => existsSync(path));

export const redisSkipReason = (): string | false =>
  onPath('redis-server') !== undefined ? false : skipWithout('redis', 'no redis-server on the PATH');

/** It takes a quarter of a minute to start, so it is started only where it is asked for. */
export const rabbitmqSkipReason = (): string | false => {
  if (onPath('rabbitmq-server') === undefined)
    return skipWithout('rabbitmq', 'no rabbitmq-server on the PATH');
  return isRequired('rabbitmq') ? false : skipWithout('rabbitmq', 'set MON_TEST_REQUIRE=rabbitmq to run it');
};

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

const until = async (isUp: () => Promise<boolean>, child: ChildProcess, what: string): Promise<void> => {
  const end = Date.now() + 60_000;
  while (!(await isUp())) {
    if (child.exitCode !== null) throw new Error(`${what} ended with ${child.exitCode}`);
    if (Date.now() > end) throw new Error(`${what} did not come up within 60 s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/** A server of any kind in its own directory; `isUp` says when it can be used. */
export const brokerOf = async (
  url: string,
  directory: string,
  launch: () => ChildProcess,
  isUp: () => Promise<boolean>,
): Promise<Broker> => {
  let child = launch();
  const end = (signal: NodeJS.Signals) => {
    if (child.pid === undefined || child.exitCode !== null) return;
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  const lastWord = () => end('SIGKILL');
  process.once('exit', lastWord);
  const kill = async () => {
    end('SIGKILL');
    await ended(child);
  };
  await until(isUp, child, url).catch(async (error) => {
    await kill();
    throw error;
  });
  return {
    url,
    signal: end,
    kill,
    start: async () => {
      child = launch();
      await until(isUp, child, url);
    },
    stop: async () => {
      await kill();
      process.off('exit', lastWord);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** Paths of PEM files of a server, and of the authority its clients must come from. */
export interface ServerTls {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

const answers = (options: RedisOptions): Promise<boolean> => {
  const probe = new Redis({ ...options, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null });
  probe.on('error', () => {});
  return probe.connect().then(
    () => {
      probe.disconnect();
      return true;
    },
    () => false,
  );
};

const redisServer = async (port: number, scheme: string, args: readonly string[], probe: RedisOptions) => {
  const directory = mkdtempSync(join(tmpdir(), 'mon-redis-'));
  const launch = () =>
    spawn(onPath('redis-server') ?? 'redis-server', [...args, '--bind', '127.0.0.1', '--dir', directory], {
      stdio: 'ignore',
      detached: true,
    });
  return brokerOf(`${scheme}://127.0.0.1:${port}`, directory, launch, () => answers(probe));
};

export const startRedis = async (more: readonly string[] = [], password?: string): Promise<Broker> => {
  const port = await freePort();
  const args = password === undefined ? more : [...more, '--requirepass', password];
  const probe = password === undefined ? { port } : { port, password };
  return redisServer(port, 'redis', ['--port', String(port), '--save', '', ...args], probe);
};

/** Accepts only TLS with client certificates of the authority. */
export const startTlsRedis = async ({ caFile, certFile, keyFile }: ServerTls): Promise<Broker> => {
  const port = await freePort();
  const args = ['--port', '0', '--tls-port', String(port), '--save', ''];
  const files = ['--tls-ca-cert-file', caFile, '--tls-cert-file', certFile, '--tls-key-file', keyFile];
  const [ca, cert, key] = [caFile, certFile, keyFile].map((path) => readFileSync(path));
  return redisServer(port, 'rediss', [...args, ...files], { port, tls: { ca, cert, key } as object });
};

/** A sentinel that promotes a replica of the master `mymaster` a second after it fell silent. */
export const startSentinel = async (masterUrl: string): Promise<Broker> => {
  const port = await freePort();
  const { hostname, port: masterPort } = new URL(masterUrl);
  const directory = mkdtempSync(join(tmpdir(), 'mon-sentinel-'));
  const file = join(directory, 'sentinel.conf');
  writeFileSync(
    file,
    [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${directory}`,
      `sentinel monitor mymaster ${hostname} ${masterPort} 1`,
      'sentinel down-after-milliseconds mymaster 1000',
      'sentinel failover-timeout mymaster 3000',
    ].join('\n'),
  );
  const launch = () =>
    spawn(onPath('redis-server') ?? 'redis-server', [file, '--sentinel'], {
      stdio: 'ignore',
      detached: true,
    });
  return brokerOf(`redis://127.0.0.1:${port}`, directory, launch, () => answers({ port }));
};

export interface RabbitmqBroker extends Broker {
  /** Runs `rabbitmqctl`. */
  control(...args: readonly string[]): void;
  /** With TLS and client certificates of the authority; otherwise the plain URL. */
  readonly tlsUrl: string;
}

const tlsListener = (port: number, { caFile, certFile, keyFile }: ServerTls): string =>
  [
    `listeners.ssl.1 = 127.0.0.1:${port}`,
    `ssl_options.cacertfile = ${caFile}`,
    `ssl_options.certfile = ${certFile}`,
    `ssl_options.keyfile = ${keyFile}`,
    'ssl_options.verify = verify_peer',
    'ssl_options.fail_if_no_peer_cert = true',
  ].join('\n');

export const startRabbitmq = async (tls?: ServerTls): Promise<RabbitmqBroker> => {
  const [port, distPort, epmdPort] = [await freePort(), await freePort(), await freePort()];
  const tlsPort = await freePort();
  const directory = mkdtempSync(join(tmpdir(), 'mon-rabbitmq-'));
  writeFileSync(join(directory, 'rabbitmq.conf'), tls === undefined ? '' : tlsListener(tlsPort, tls));
  writeFileSync(join(directory, 'enabled_plugins'), '[].');
  const env = {
    ...process.env,
    HOME: directory,
    RABBITMQ_NODENAME: `mon-test-${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distPort),
    RABBITMQ_MNESIA_BASE: directory,
    RABBITMQ_LOG_BASE: directory,
    RABBITMQ_LOGS: join(directory, 'rabbit.log'),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, 'enabled_plugins'),
    RABBITMQ_CONF_ENV_FILE: join(directory, 'none'),
    RABBITMQ_CONFIG_FILE: join(directory, 'rabbitmq.conf'),
    RABBITMQ_PID_FILE: join(directory, 'pid'),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmdPort),
  };
  // The wrapper of distributions insists on a user of its own; the script behind it does not.
  const command = ['/usr/lib/rabbitmq/bin/rabbitmq-server', onPath('rabbitmq-server') ?? ''].find((path) =>
    existsSync(path),
  );
  const launch = () => spawn(command ?? 'rabbitmq-server', [], { stdio: 'ignore', detached: true, env });
  const url = `amqp://guest:guest@127.0.0.1:${port}`;
  const isUp = () =>
    connect(url).then(
      async (connection) => {
        await connection.close();
        return true;
      },
      () => false,
    );
  const broker = await brokerOf(url, directory, launch, isUp);
  return {
    ...broker,
    control: (...args) => {
      const program = ['/usr/lib/rabbitmq/bin/rabbitmqctl', onPath('rabbitmqctl') ?? ''].find((path) =>
        existsSync(path),
      );
      const { status, stderr } = spawnSync(program ?? 'rabbitmqctl', args, { env, encoding: 'utf8' });
      if (status !== 0) throw new Error(`rabbitmqctl ${args.join(' ')}: ${stderr}`);
    },
    tlsUrl: tls === undefined ? url : `amqps://guest:guest@127.0.0.1:${tlsPort}`,
    stop: async () => {
      await broker.stop();
      // The name server of Erlang puts itself in the background and would stay; this one is ours alone.
      spawnSync(onPath('epmd') ?? 'epmd', ['-port', String(epmdPort), '-kill'], { stdio: 'ignore' });
    },
  };
};
