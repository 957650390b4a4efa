// Servers that speak MongoDB's protocol, for tests: `MON_TEST_MONGODB_URL` if set, else a `mongod` on the PATH, else FerretDB with
// SQLite behind it for compatibility, and the stand-in in wire-server/ for load and faults. FerretDB is built with Go, and only
// when `MON_TEST_REQUIRE` names `mongodb`: plain `npm test` on a machine with Node alone says that it skipped those tests.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../free-port.ts';
import { isRequired, skipWithout } from '../requirements.ts';

export interface TestServer {
  /** Without a database: add `/name`. */
  readonly url: string;
  /** FerretDB stands in for MongoDB, but scans where MongoDB looks up, and takes no lists in lists. */
  readonly isFerret: boolean;
  stop(): Promise<void>;
}

const cacheDir = resolve('node_modules/.cache/mon-test');
const ferretPath = join(cacheDir, 'ferretdb');
const ferretVersion = 'v1.24.0';

/** Why tests that need a server have to be skipped here, or false. Throws where they are required. */
export function mongodbSkipReason(): string | false {
  if (process.env.MON_TEST_MONGODB_URL || onPath('mongod') || existsSync(ferretPath)) return false;
  if (isRequired('mongodb') && onPath('go')) return false;
  return skipWithout(
    'mongodb',
    'no MongoDB: set MON_TEST_MONGODB_URL, or put mongod on the PATH, or set MON_TEST_REQUIRE=mongodb with go on the PATH',
  );
}

export async function startMongodb(): Promise<TestServer> {
  const real = await startReal();
  if (real !== undefined) return real;
  if (!existsSync(ferretPath)) buildFerret();
  const dir = newDir();
  const port = await freePort();
  return startServer(ferretPath, [`127.0.0.1:${port}`, dir], dir, port, true);
}

/** For load and for faults: a real server where there is one, else the stand-in of this folder. Never FerretDB, which scans. */
export const startFastMongodb = async (): Promise<TestServer> => (await startReal()) ?? startStandIn();

/** The stand-in, which needs nothing but Node; with a name it announces itself as a replica set of one member. */
export const startStandIn = async (replicaSet?: string): Promise<TestServer> => {
  const dir = newDir();
  const port = await freePort();
  const script = fileURLToPath(new URL('./wire-server/main.js', import.meta.url));
  const args = [script, `${port}`, dir, ...(replicaSet === undefined ? [] : [replicaSet])];
  return startServer(process.execPath, args, dir, port, false);
};

const startReal = async (): Promise<TestServer | undefined> => {
  const url = process.env.MON_TEST_MONGODB_URL;
  if (url) return { url: url.replace(/\/+$/, ''), isFerret: false, stop: async () => {} };
  const mongod = onPath('mongod');
  if (mongod === undefined) return undefined;
  const dir = newDir();
  const port = await freePort();
  return startServer(
    mongod,
    ['--dbpath', dir, '--port', `${port}`, '--bind_ip', '127.0.0.1'],
    dir,
    port,
    false,
  );
};

const newDir = (): string => mkdtempSync(join(tmpdir(), 'mon-mongodb-'));

async function startServer(
  command: string,
  args: readonly string[],
  dir: string,
  port: number,
  isFerret: boolean,
): Promise<TestServer> {
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: dir });
  let said = '';
  server.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2_000);
  });
  const exited = new Promise<void>((settle) => server.once('exit', () => settle()));
  const killLast = () => {
    server.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  };
  process.once('exit', killLast);
  // The test runner ends a file when nothing is left to wait for: a server must not count as something.
  server.unref();
  (server.stderr as Socket).unref();
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (tries > 200 || server.exitCode !== null) throw new Error(`${command} did not start: ${said}`);
    await sleep(50);
  }
  return {
    url: `mongodb://127.0.0.1:${port}`,
    isFerret,
    stop: async () => {
      server.kill('SIGTERM');
      server.ref();
      const grace = setTimeout(killLast, 3_000);
      await exited;
      clearTimeout(grace);
      process.removeListener('exit', killLast);
      killLast();
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  new Promise((settle) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      settle(true);
    });
    socket.once('error', () => settle(false));
  });

function onPath(name: string): string | undefined {
  const places = (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, name));
  return places.find((path) => existsSync(path));
}

/** Builds the embeddable server: its own command needs files that are made only by a release. About 25 s. */
function buildFerret(): void {
  console.error(`building FerretDB ${ferretVersion} into ${ferretPath} (once, about 25 s)`);
  mkdirSync(cacheDir, { recursive: true });
  const dir = mkdtempSync(join(tmpdir(), 'mon-ferretdb-'));
  try {
    writeFileSync(join(dir, 'main.go'), ferretMain);
    writeFileSync(
      join(dir, 'go.mod'),
      `module mongodbserver\n\ngo 1.22\n\nrequire github.com/FerretDB/FerretDB ${ferretVersion}\n`,
    );
    const env = { ...process.env, GOFLAGS: '-mod=mod' };
    execFileSync('go', ['build', '-tags', 'ferretdb_sqlite', '-o', ferretPath, '.'], {
      cwd: dir,
      env,
      stdio: 'pipe',
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const ferretMain = `package main

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

func main() {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	server, err := ferretdb.New(&ferretdb.Config{
		Listener:  ferretdb.ListenerConfig{TCP: os.Args[1]},
		Logger:    logger,
		Handler:   "sqlite",
		SQLiteURL: "file:" + os.Args[2] + "/",
	})
	if err != nil {
		logger.Error(err.Error())
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := server.Run(ctx); err != nil {
		logger.Error(err.Error())
		os.Exit(1)
	}
}
`;
