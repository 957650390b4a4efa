// The doctors: what is wrong is said in one line with what to do, and the exit code says whether something fails.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { MongoClient } from 'mongodb';
import { type Finding, fail, ok, report, warn } from '../../src/main/doctor/finding.ts';
import { ApiClient, startBackend, tempDir } from '../acceptance/programs.ts';
import { freePort } from '../free-port.ts';
import { hasOpenssl, makeAuthority } from '../http/certificates.ts';
import { startIssuer } from '../http/providers/local-issuer.ts';
import { startStandIn } from '../store/mongodb-server.ts';
import { runCommand } from './commands.ts';

const listen = async (server: Server | ReturnType<typeof createTcpServer>): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

interface Seen {
  readonly code: number | null;
  readonly findings: readonly Finding[];
  readonly text: string;
}

const examine = async (
  program: 'mon-backend' | 'mon-agent',
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Seen> => {
  const { code, text } = await runCommand(program, ['doctor', '--format', 'json', ...args], env);
  try {
    return { code, text, findings: JSON.parse(text) as Finding[] };
  } catch {
    return { code, text, findings: [] };
  }
};

const assertFinds = ({ findings, text }: Seen, verdict: string, area: string, what: RegExp): void =>
  assert.ok(
    findings.some(
      (one) => one.verdict === verdict && one.area === area && what.test(`${one.what}; ${one.advice}`),
    ),
    `no ${verdict} of ${area} like ${what} in ${text}`,
  );

const fails = ({ findings }: Seen) => findings.filter(({ verdict }) => verdict === 'fail');

test('a backend that could start is healthy, and one that runs is, too; its providers are asked', () =>
  tempDir(async (dir) => {
    const stateDir = join(dir, 'state');
    const [api, agents] = [await freePort(), await freePort()];
    const flags = [
      ...['--state-dir', stateDir, '--cache-dir', join(dir, 'cache')],
      ...[
        '--api-listen-address',
        `127.0.0.1:${api}`,
        '--agent-host',
        '127.0.0.1',
        '--agent-port',
        `${agents}`,
      ],
    ];
    const before = await examine('mon-backend', flags);
    assert.deepEqual([before.code, fails(before)], [0, []], before.text);
    assertFinds(before, 'ok', 'port', new RegExp(`127\\.0\\.0\\.1:${api}/tcp is free`));
    assertFinds(before, 'ok', 'store', /holds no store yet/);

    const backend = await startBackend(stateDir, flags.slice(2));
    try {
      const running = await examine('mon-backend', flags);
      assert.deepEqual([running.code, fails(running)], [0, []], running.text);
      assertFinds(running, 'ok', 'port', /is taken by the program that runs here already \(pid \d+\)/);
      assertFinds(
        running,
        'ok',
        'store',
        new RegExp(`served by the backend that runs \\(pid ${backend.program.process.pid},`),
      );
      const client = await ApiClient.login(backend.api);
      const put = await client.call('PUT', '/api/enterprise/authentication/v2/authproviders/directory', {
        ...{ type: 'ldap', api_version: 'authentication/v2', metadata: { name: 'directory' } },
        spec: {
          servers: [
            {
              ...{ host: '127.0.0.1', port: 1, security: 'insecure' },
              binding: { user_dn: 'cn=mon', password: 'sealed' },
              ...{ group_search: { base_dn: 'dc=x' }, user_search: { base_dn: 'dc=x' } },
            },
          ],
        },
      });
      assert.equal(put.status, 200, await put.text());
      const sick = await examine('mon-backend', flags);
      assert.equal(sick.code, 1);
      assertFinds(
        sick,
        'fail',
        'provider',
        /directory: directory 127\.0\.0\.1:1: .*ECONNREFUSED.*; correct the provider/s,
      );
    } finally {
      await backend.program.kill('SIGKILL');
    }
    const atRest = await examine('mon-backend', flags);
    assertFinds(atRest, 'ok', 'store', /can be opened, and no backend runs on it/);
    assertFinds(atRest, 'fail', 'provider', /127\.0\.0\.1:1/);
    chmodSync(join(stateDir, 'encryption-key'), 0o644);
    assertFinds(await examine('mon-backend', flags), 'warn', 'key', /is open to other users.*chmod 600/);
  }));

test('a backend: a taken port with its holder, a certificate that is none, a broker that is away, an unknown address', () =>
  tempDir(async (dir) => {
    const taker = createTcpServer();
    const port = await listen(taker);
    try {
      const file = join(dir, 'cert.pem');
      writeFileSync(file, 'no certificate');
      const seen = await examine('mon-backend', [
        ...['--state-dir', join(dir, 'state'), '--cache-dir', join(dir, 'cache')],
        ...['--api-listen-address', `127.0.0.1:${port}`, '--agent-host', '192.0.2.1', '--agent-port', '8081'],
        ...['--cert-file', file, '--key-file', file, '--earlier-brokers', 'redis://:secret@127.0.0.1:1'],
      ]);
      assert.equal(seen.code, 1, seen.text);
      assertFinds(
        seen,
        'fail',
        'port',
        new RegExp(`:${port}/tcp is taken by pid ${process.pid} \\(.*\\); .*--api-listen-address`),
      );
      assertFinds(
        seen,
        'fail',
        'port',
        /192\.0\.2\.1:8081\/tcp is no address of this machine; correct --agent-port/,
      );
      assertFinds(seen, 'fail', 'certificate', /cert\.pem holds no certificate/);
      assertFinds(seen, 'fail', 'broker', /redis:\/\/127\.0\.0\.1:1: .*; start the broker/);
      assert.ok(!seen.text.includes('secret'), 'no password is shown');
    } finally {
      taker.close();
    }
  }));

test('an agent: let in, refused for its password, nobody there, and a clock that differs', () =>
  tempDir(async (dir) => {
    const flags = (url: string): string[] => [
      ...[
        '--cache-dir',
        join(dir, 'cache'),
        '--api-port',
        '0',
        '--socket-port',
        '0',
        '--statsd-metrics-port',
        '0',
      ],
      ...['--name', 'host-1', '--backend-url', url],
    ];
    const backend = await startBackend(join(dir, 'state'));
    try {
      const healthy = await examine('mon-agent', flags(backend.agents));
      assert.deepEqual([healthy.code, fails(healthy)], [0, []], healthy.text);
      assertFinds(healthy, 'ok', 'backend', /answers, and lets this agent in/);
      assertFinds(healthy, 'ok', 'clock', /is that of this machine/);
      const refused = await examine('mon-agent', [...flags(backend.agents), '--password', 'wrong']);
      assert.equal(refused.code, 1);
      assertFinds(refused, 'fail', 'backend', /answers 401.*correct --user \(agent\) and --password/);
      const misled = await examine('mon-agent', flags(backend.api.replace('http', 'ws')));
      assert.equal(misled.code, 1, misled.text);
    } finally {
      await backend.program.kill('SIGKILL');
    }
    const nobody = await examine('mon-agent', flags(backend.agents));
    assertFinds(nobody, 'fail', 'backend', /ECONNREFUSED.*; start the backend/);

    const late = createServer((_request, response) => {
      response.setHeader('date', new Date(Date.now() - 120_000).toUTCString());
      response.writeHead(400).end('Bad Request');
    });
    const port = await listen(late);
    try {
      const seen = await examine('mon-agent', flags(`ws://127.0.0.1:${port}`));
      assert.equal(seen.code, 1);
      assertFinds(seen, 'fail', 'clock', /differ by 1[12]\d s; set the clocks of both by NTP/);
    } finally {
      late.close();
    }
  }));

test('a backend: the clocks of a MongoDB store and of an issuer are compared with that of this machine', async (t) => {
  const server = await startStandIn();
  t.after(() => server.stop());
  const issuer = await startIssuer(t);
  await tempDir(async (dir) => {
    const flags = [
      ...['--state-dir', join(dir, 'state'), '--cache-dir', join(dir, 'cache')],
      ...['--store-url', `${server.url}/clocks`],
    ];
    const setStoreClock = async (aheadMs: number): Promise<void> => {
      const client = new MongoClient(server.url);
      await client.db('admin').command({ setClockAhead: aheadMs });
      await client.close();
    };
    const backend = await startBackend(join(dir, 'state'), flags.slice(2));
    try {
      const client = await ApiClient.login(backend.api);
      const put = await client.call('PUT', '/api/enterprise/authentication/v2/authproviders/issuer', {
        ...{ type: 'oidc', api_version: 'authentication/v2', metadata: { name: 'issuer' } },
        spec: {
          ...{ client_id: issuer.clientId, client_secret: issuer.clientSecret, server: issuer.url },
          ...{ username_claim: 'preferred_username', groups_claim: 'groups' },
        },
      });
      assert.equal(put.status, 200, await put.text());
      const together = await examine('mon-backend', flags);
      assertFinds(together, 'ok', 'clock', /the clock of mongodb:\/\/\S+\/clocks is that of this machine/);
      assertFinds(together, 'ok', 'clock', new RegExp(`the clock of ${issuer.url} is that of this machine`));
      await setStoreClock(600_000);
      issuer.clockAheadMs = -600_000;
      const apart = await examine('mon-backend', flags);
      assertFinds(
        apart,
        'fail',
        'clock',
        /the clock of mongodb:\/\/\S+\/clocks and that of this machine differ by (59\d|60\d) s; set the clocks/,
      );
      assertFinds(
        apart,
        'fail',
        'clock',
        new RegExp(`${issuer.url} and that of this machine differ by (59|60)\\d s`),
      );
      assert.equal(apart.code, 1);
    } finally {
      await backend.program.kill('SIGKILL');
    }
    const atRest = await examine('mon-backend', flags);
    assertFinds(
      atRest,
      'fail',
      'clock',
      /the clock of mongodb:\/\/\S+\/clocks and that of this machine differ by (59\d|60\d) s/,
    );
  });
});

test('a folder that is none is told, and a finding is one line of text', () =>
  tempDir(async (dir) => {
    writeFileSync(join(dir, 'file'), '');
    mkdirSync(join(dir, 'open'), { mode: 0o755 });
    const { code, text } = await runCommand('mon-agent', [
      ...[
        'doctor',
        '--cache-dir',
        join(dir, 'file'),
        '--disable-api',
        '--disable-sockets',
        '--statsd-disable',
      ],
      ...['--backend-url', 'ws://127.0.0.1:1'],
    ]);
    assert.equal(code, 1);
    assert.match(text, /^fail {2}folder {6}.*\/file is no folder; correct --cache-dir$/m);
    assert.match(text, /^(ok|warn|fail) +disk /m);
  }));

test('a certificate without the name of this backend is a warning', { skip: !hasOpenssl }, (t) =>
  tempDir(async (dir) => {
    const { certFile, keyFile } = makeAuthority(t).issue('backend');
    const flags = ['--state-dir', join(dir, 'state'), '--cache-dir', join(dir, 'cache')];
    const pair = ['--cert-file', certFile, '--key-file', keyFile];
    const ask = (url: string) => examine('mon-backend', [...flags, ...pair, '--api-url', url]);
    const other = await ask('https://mon.example.org:8080');
    assertFinds(other, 'warn', 'certificate', /does not name mon\.example\.org \(it names .*--api-url/);
    assertFinds(other, 'ok', 'certificate', /is the key of/);
    for (const url of ['https://127.0.0.1:8080', 'https://localhost:8080'])
      assert.doesNotMatch((await ask(url)).text, /does not name/);
    assertFinds(await ask('https://127.0.0.2:8080'), 'warn', 'certificate', /does not name 127\.0\.0\.2/);
  }),
);

test('an agent behind a proxy asks its backend through it, with TLS', { skip: !hasOpenssl }, (t) =>
  tempDir(async (dir) => {
    const { certFile, keyFile } = makeAuthority(t).issue('backend');
    const backend = await startBackend(join(dir, 'state'), ['--cert-file', certFile, '--key-file', keyFile]);
    t.after(() => backend.program.kill('SIGKILL'));
    const port = Number(new URL(backend.agents).port);
    const asked: (string | undefined)[] = [];
    const proxy = createServer((_request, response) => response.end());
    proxy.on('connect', (request, socket) => {
      asked.push(request.url);
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(onward).pipe(socket);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      socket.on('close', () => onward.destroy());
    });
    const proxyPort = await listen(proxy);
    t.after(() => proxy.close());
    const seen = await examine(
      'mon-agent',
      [
        ...['--cache-dir', join(dir, 'cache'), '--api-port', '0', '--socket-port', '0'],
        ...['--statsd-metrics-port', '0', '--name', 'host-1', '--insecure-skip-tls-verify'],
        ...['--backend-url', `wss://mon.example.org:${port}`],
      ],
      { HTTPS_PROXY: `http://127.0.0.1:${proxyPort}` },
    );
    assertFinds(seen, 'ok', 'backend', /answers, and lets this agent in/);
    assert.deepEqual(asked, [`mon.example.org:${port}`]);
  }),
);

test('a warning does not fail the doctor, a failure does', (t) => {
  t.mock.method(console, 'log', () => {});
  const warned = warn('disk', 'nearly full', 'free some space');
  assert.equal(report([ok('port', 'free'), warned], 'text'), 0);
  assert.equal(report([warned, fail('store', 'damaged', 'restore it')], 'json'), 1);
});
