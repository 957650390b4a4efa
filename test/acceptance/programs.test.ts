// The programs as an administrator meets them: first start, init, exit codes, settings and their sources, an orderly end.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { isAlive } from '../is-alive.ts';
import {
  ApiClient,
  eventually,
  inDefault,
  readPassword,
  startBackend,
  startProgram,
  tempDir,
} from './programs.ts';

const exec = promisify(execFile);

interface Ended {
  readonly code: number;
  readonly output: string;
}

const run = async (args: readonly string[], env: Record<string, string> = {}): Promise<Ended> => {
  try {
    const { stdout, stderr } = await exec(process.execPath, ['bin/mon-backend.js', ...args], {
      env: { PATH: process.env.PATH ?? '', ...env },
      timeout: 30_000,
    });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
};

test('a first start makes up a password, keeps it in a file for its owner alone, and never logs it', async () => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir, [], { MON_BACKEND_CLUSTER_ADMIN_PASSWORD: '' });
    try {
      const password = await readPassword(dir);
      assert.ok(password.length >= 16);
      assert.equal((await stat(join(dir, 'initial-admin-password'))).mode & 0o777, 0o600);
      await ApiClient.login(backend.api, 'admin', password);
      assert.equal(
        backend.program.lines.some((line) => JSON.stringify(line).includes(password)),
        false,
      );
    } finally {
      await backend.program.kill();
    }
  });
});

test('init does the same by hand, and exits with 3 when it was done before', async () => {
  await tempDir(async (dir) => {
    const args = [
      'init',
      '--state-dir',
      dir,
      '--cluster-admin-username',
      'ada',
      '--cluster-admin-password',
      'difference-engine',
    ];
    assert.equal((await run(args)).code, 0);
    const again = await run(args);
    assert.equal(again.code, 3);
    assert.match(again.output, /initialised before/);
    const backend = await startBackend(dir);
    try {
      await ApiClient.login(backend.api, 'ada', 'difference-engine');
    } finally {
      await backend.program.kill();
    }
  });
});

test('init refuses a password that the API would refuse, and makes nobody', async () => {
  await tempDir(async (dir) => {
    const short = await run(['init', '--state-dir', dir, '--cluster-admin-password', 'short']);
    assert.equal(short.code, 1);
    assert.match(short.output, /--cluster-admin-password: password length must be at least 8 characters/);
    assert.equal(
      (await run(['init', '--state-dir', dir, '--cluster-admin-password', 'long-enough'])).code,
      0,
    );
  });
});

test('a start that is refused because MongoDB is away leaves no directory behind', async () => {
  await tempDir(async (dir) => {
    const state = join(dir, 'deep', 'state');
    const url = 'mongodb://127.0.0.1:1/mon?serverSelectionTimeoutMS=200';
    assert.equal((await run(['start', '--state-dir', state, '--store-url', url])).code, 1);
    assert.deepEqual(await readdir(dir), []);
  });
});

test('a state directory that was open to others is closed at the start, with one line in the log', async () => {
  await tempDir(async (dir) => {
    const state = join(dir, 'state');
    assert.equal((await run(['init', '--state-dir', state])).code, 0);
    const modes = async (): Promise<string[]> => {
      const paths = [state, ...(await readdir(state, { recursive: true })).map((path) => join(state, path))];
      return Promise.all(paths.sort().map(async (path) => ((await stat(path)).mode & 0o077).toString(8)));
    };
    assert.deepEqual(new Set(await modes()), new Set(['0']));
    for (const path of ['.', 'store', 'store/data.mdb', 'initial-admin-password'])
      await chmod(join(state, path), 0o755);
    const backend = await startBackend(state);
    try {
      assert.deepEqual(new Set(await modes()), new Set(['0']));
      const told = backend.program.lines.filter((line) =>
        JSON.stringify(line).includes('accessible to other users'),
      );
      assert.equal(told.length, 1);
    } finally {
      await backend.program.kill();
    }
  });
});

test('SIGUSR1 raises the log level of a running backend, and opens no debugger', async () => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir, ['--log-level', 'warn']);
    try {
      backend.program.process.kill('SIGUSR1');
      assert.equal((await backend.program.line('set log level to info')).level, 'warning');
      backend.program.process.kill('SIGUSR1');
      await backend.program.line('set log level to debug');
      assert.equal(
        backend.program.lines.some((line) => JSON.stringify(line).includes('Debugger')),
        false,
      );
    } finally {
      await backend.program.kill();
    }
  });
});

test('a second backend on the same state directory is told who has it', async () => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir);
    try {
      const second = await run([
        'start',
        '--state-dir',
        dir,
        '--api-listen-address',
        '127.0.0.1:0',
        '--agent-port',
        '0',
      ]);
      assert.equal(second.code, 1);
      assert.match(second.output, new RegExp(`pid ${backend.program.process.pid}`));
    } finally {
      await backend.program.kill();
    }
  });
});

const refusedSettings: readonly [string, readonly string[], Record<string, string>, RegExp][] = [
  [
    'a port that is a word',
    ['--agent-port', 'many'],
    {},
    /agent-port must be an integer.*"many".*flag --agent-port/,
  ],
  ['a bad variable', [], { MON_BACKEND_ENTITY_LIMIT: '-1' }, /entity-limit.*MON_BACKEND_ENTITY_LIMIT/],
  ['an address without a port', ['--api-listen-address', 'localhost'], {}, /must be host:port/],
  ['a store nobody knows', ['--store-url', 'redis://x'], {}, /redis/],
  [
    'a certificate without a key',
    ['--cert-file', '/tmp/none.pem'],
    {},
    /--cert-file & --key-file are required/,
  ],
  [
    'a configuration file that is not there',
    ['-c', '/tmp/no/such.yml'],
    {},
    /cannot read the configuration file/,
  ],
];

for (const [what, args, env, message] of refusedSettings) {
  test(`${what} ends the start with exit code 1 and says which setting, from where, and why`, async () => {
    await tempDir(async (dir) => {
      const { code, output } = await run(['start', '--state-dir', dir, ...args], env);
      assert.equal(code, 1);
      assert.match(output, message);
      assert.doesNotMatch(output, /^\s+at /m, 'a stack trace is no message for an administrator');
    });
  });
}

test('a flag wins over the environment, the environment over the file', async () => {
  await tempDir(async (dir) => {
    const file = join(dir, 'backend.yml');
    await writeFile(file, 'entity-limit: 1\nlog-level: debug\n');
    const backend = await startBackend(dir, ['--config-file', file], { MON_BACKEND_ENTITY_LIMIT: '2' });
    try {
      const api = await ApiClient.login(backend.api);
      const create = (name: string): Promise<Response> =>
        api.call('POST', inDefault('entities'), {
          entity_class: 'proxy',
          metadata: { name, namespace: 'default' },
        });
      assert.ok((await create('one')).ok);
      assert.ok((await create('two')).ok);
      const third = await create('three');
      assert.equal(third.status, 402);
      assert.match(((await third.json()) as { message: string }).message, /valid license/);
    } finally {
      await backend.program.kill();
    }
  });
});

test('SIGTERM drains under a handler that hangs, and ends with code 0', { timeout: 60_000 }, async () => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir);
    const api = await ApiClient.login(backend.api);
    await api.post(inDefault('handlers'), {
      metadata: { name: 'hang', namespace: 'default' },
      type: 'pipe',
      command: `echo started > ${dir}/started; sleep 600`,
    });
    await api.post(inDefault('events'), {
      entity: { entity_class: 'proxy', metadata: { name: 'router', namespace: 'default' } },
      check: {
        metadata: { name: 'uplink', namespace: 'default' },
        interval: 10,
        status: 2,
        handlers: ['hang'],
      },
    });
    await eventually('the handler hangs', () =>
      stat(`${dir}/started`).then(
        () => true,
        () => false,
      ),
    );
    const { code } = await backend.program.kill('SIGTERM');
    assert.equal(code, 0);
    const again = await startBackend(dir);
    try {
      const next = await ApiClient.login(again.api);
      assert.ok(
        (await next.call('GET', inDefault('events/router/uplink'))).ok,
        'what was acknowledged is there',
      );
    } finally {
      await again.program.kill('SIGKILL');
    }
  });
});

test('a handler does not outlive a killed backend for long', { timeout: 60_000 }, async () => {
  await tempDir(async (dir) => {
    const backend = await startBackend(dir);
    const api = await ApiClient.login(backend.api);
    await api.post(inDefault('handlers'), {
      metadata: { name: 'hang', namespace: 'default' },
      type: 'pipe',
      command: `echo $$ > ${dir}/pid; sleep 600`,
    });
    await api.post(inDefault('events'), {
      entity: { entity_class: 'proxy', metadata: { name: 'router', namespace: 'default' } },
      check: {
        metadata: { name: 'uplink', namespace: 'default' },
        interval: 10,
        status: 2,
        handlers: ['hang'],
      },
    });
    const pid = await eventually('the handler hangs', async () => {
      const text = await readFile(`${dir}/pid`, 'utf8').catch(() => '');
      return text.endsWith('\n') && Number(text);
    });
    await backend.program.kill('SIGKILL');
    await eventually('the handler is ended', async () => !isAlive(pid));
  });
});

test('version and help answer without a store', async () => {
  assert.match((await run(['version'])).output, /^mon-backend version \d+\.\d+\.\d+/);
  const help = await run(['start', '--help']);
  assert.equal(help.code, 0);
  for (const words of ['--state-dir', 'MON_BACKEND_', 'Examples:'])
    assert.ok(help.output.includes(words), words);
});

test('an agent that cannot reach its backend keeps trying and ends at once when asked', async () => {
  await tempDir(async (dir) => {
    const agent = startProgram('mon-agent', [
      'start',
      '--backend-url',
      'ws://127.0.0.1:9',
      '--cache-dir',
      dir,
      '--disable-api',
      '--disable-sockets',
      '--statsd-disable',
      '--log-level',
      'info',
    ]);
    await agent.line('reconnection attempt failed');
    assert.deepEqual(await agent.kill(), { code: 0, signal: null });
  });
});

test('the built-in agent password is warned of at every start, until the command that is named has changed it', async () => {
  await tempDir(async (dir) => {
    const start = () => startBackend(dir, ['--agent-host', '[::]']);
    const isWarned = (backend: Awaited<ReturnType<typeof start>>): boolean =>
      backend.program.lines.some((line) => /built-in password/.test(JSON.stringify(line)));
    for (let at = 0; at < 2; at += 1) {
      const backend = await start();
      assert.equal(isWarned(backend), true);
      if (at === 1) {
        const api = await ApiClient.login(backend.api);
        const body = { username: 'agent', password: 'not built in', groups: ['system:agents'] };
        assert.equal((await api.call('PUT', '/api/core/v2/users/agent', body)).status, 201);
      }
      await backend.program.kill();
    }
    const backend = await start();
    assert.equal(isWarned(backend), false);
    await backend.program.kill();
  });
});

test('an agent password that is too short is refused, and none makes no user', async () => {
  await tempDir(async (dir) => {
    const init = (password: string) =>
      run([
        'init',
        '--state-dir',
        dir,
        '--cluster-admin-password',
        'difference-engine',
        '--agent-user-password',
        password,
      ]);
    const short = await init('short');
    assert.equal(short.code, 1);
    assert.match(short.output, /--agent-user-password: password length must be at least 8/);
    assert.equal((await init('none')).code, 0);
    const backend = await startBackend(dir);
    try {
      const api = await ApiClient.login(backend.api, 'admin', 'difference-engine');
      assert.equal((await api.call('GET', '/api/core/v2/users/agent')).status, 404);
    } finally {
      await backend.program.kill();
    }
  });
});
