// The agent program and the backend program over TLS: who trusts whom, and who logs in with what; and an agent that
// is one entity too many (1.4).
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasOpenssl, makeAuthority } from '../agent/certificates.ts';
import {
  ApiClient,
  eventually,
  inDefault,
  type Program,
  startAgent,
  startBackend,
  tempDir,
} from './programs.ts';

const options = { skip: !hasOpenssl };

const agentNamed = (agents: string, dir: string, name: string, flags: readonly string[]): Program =>
  startAgent({ agents }, join(dir, name), [
    '--name',
    name,
    '--retry-min',
    '50ms',
    '--retry-max',
    '100ms',
    ...flags,
  ]);

const failure = async (agent: Program): Promise<string> =>
  String((await agent.line('reconnection attempt failed')).error);

test('over TLS an agent trusts the authorities it is given, and no others', options, () =>
  tempDir(async (dir) => {
    const authority = makeAuthority();
    const server = authority.issue('backend');
    const stranger = makeAuthority();
    const backend = await startBackend(join(dir, 'state'), [
      '--cert-file',
      server.cert,
      '--key-file',
      server.key,
    ]);
    const url = backend.agents.replace('ws://', 'wss://');
    const agents: Program[] = [];
    const started = (name: string, ...flags: string[]) => {
      const agent = agentNamed(url, dir, name, flags);
      agents.push(agent);
      return agent;
    };
    try {
      assert.match(url, /^wss:/);
      const noPem = join(dir, 'empty.pem');
      writeFileSync(noPem, 'nothing');
      await Promise.all([
        started('trusting', '--trusted-ca-file', authority.ca).line('successfully connected'),
        started('careless', '--insecure-skip-tls-verify').line('successfully connected'),
        failure(started('wary')).then((why) => assert.match(why, /unable to verify|self-signed/)),
        failure(started('misled', '--trusted-ca-file', stranger.ca)).then((why) =>
          assert.match(why, /unable to verify|self-signed|certificate/),
        ),
        failure(started('no-file', '--trusted-ca-file', join(dir, 'gone.pem'))).then((why) =>
          assert.match(why, /^Error reading CA file: .*gone\.pem/),
        ),
        failure(started('no-pem', '--trusted-ca-file', noPem)).then((why) =>
          assert.equal(why, `No certificates could be parsed out of ${noPem}`),
        ),
        failure(started('no-pair', '--cert-file', server.cert, '--key-file', stranger.ca)).then((why) =>
          assert.match(why, /^Error loading tls client certificate: /),
        ),
      ]);
    } finally {
      for (const agent of agents) await agent.kill('SIGKILL');
      await backend.program.kill('SIGKILL');
    }
  }),
);

test('with mutual TLS an agent is who its certificate says, and a password is not enough', options, () =>
  tempDir(async (dir) => {
    const authority = makeAuthority();
    const server = authority.issue('backend');
    const own = authority.issue('web-01');
    const foreign = makeAuthority().issue('web-02');
    const backend = await startBackend(join(dir, 'state'), [
      ...['--cert-file', server.cert, '--key-file', server.key, '--agent-auth-trusted-ca-file', authority.ca],
    ]);
    const url = backend.agents.replace('ws://', 'wss://');
    const trust = ['--trusted-ca-file', authority.ca];
    const agents: Program[] = [];
    const started = (name: string, ...flags: string[]) => {
      const agent = agentNamed(url, dir, name, [...trust, ...flags]);
      agents.push(agent);
      return agent;
    };
    try {
      const [accepted] = await Promise.all([
        started('web-01', '--cert-file', own.cert, '--key-file', own.key).line('successfully connected'),
        failure(started('password')),
        failure(started('web-02', '--cert-file', foreign.cert, '--key-file', foreign.key)),
      ]);
      assert.equal(accepted['backend-url'], url);
      assert.ok(agents[0]?.lines.some(({ msg }) => msg === 'using tls client auth'));
      await backend.program.line('agent connected');
      const connected = backend.program.lines.filter(({ msg }) => msg === 'agent connected');
      assert.deepEqual(
        connected.map(({ agent, user }) => [agent, user]),
        [['web-01', 'agent']],
      );
    } finally {
      for (const agent of agents) await agent.kill('SIGKILL');
      await backend.program.kill('SIGKILL');
    }
  }),
);

test('an agent beyond the entity limit is told 402, keeps trying, and is let in once there is room', () =>
  tempDir(async (dir) => {
    const backend = await startBackend(join(dir, 'state'), ['--entity-limit', '1']);
    const first = agentNamed(backend.agents, dir, 'first', []);
    let second: Program | undefined;
    try {
      const api = await ApiClient.login(backend.api);
      const exists = async (name: string) => (await api.call('GET', inDefault(`entities/${name}`))).ok;
      await eventually('the first entity', () => exists('first'));
      second = agentNamed(backend.agents, dir, 'second', []);
      const line = await second.line('reconnection attempt failed');
      assert.match(String(line.error), /^handshake failed with status 402: entity limit reached/);
      assert.deepEqual([line.component, line.level], ['agent', 'error']);
      await first.kill();
      const deleted = await api.call('DELETE', inDefault('entities/first'));
      assert.equal(deleted.status, 204);
      await second.line('successfully connected');
      await eventually('the second entity', () => exists('second'));
    } finally {
      await first.kill('SIGKILL');
      await second?.kill('SIGKILL');
      await backend.program.kill('SIGKILL');
    }
  }));
