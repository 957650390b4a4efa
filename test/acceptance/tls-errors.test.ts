// The usual mistakes with TLS, made with the programs themselves: each says in words which address or flag is right.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hasOpenssl, makeAuthority } from '../agent/certificates.ts';
import { freePort } from '../free-port.ts';
import { adminPassword, type Program, startAgent, startBackend, startProgram, tempDir } from './programs.ts';

const options = { skip: !hasOpenssl };
const retry = ['--retry-min', '50ms', '--retry-max', '100ms'];

test('agent, client and mon-ctl say which mistake with TLS was made, and what to do', options, (t) =>
  tempDir(async (dir) => {
    const pair = makeAuthority().issue('backend');
    const [securePort, plainPort] = [await freePort(), await freePort()];
    const [secure, plain] = await Promise.all([
      startBackend(join(dir, 'secure'), [
        ...['--cert-file', pair.cert, '--key-file', pair.key],
        ...['--earlier-api-port', String(securePort)],
      ]),
      startBackend(join(dir, 'plain'), ['--earlier-api-port', String(plainPort)]),
    ]);
    const programs: Program[] = [secure.program, plain.program];
    t.after(() => Promise.all(programs.map((program) => program.kill('SIGKILL'))));
    const withScheme = (url: string, scheme: string): string => url.replace(/^[a-z]+:/, `${scheme}:`);

    const agent = async (url: string): Promise<string> => {
      const program = startAgent({ agents: url }, join(dir, `agent-${programs.length}`), retry);
      programs.push(program);
      return String((await program.line('reconnection attempt failed')).error);
    };
    const ctl = (url: string): string => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [
          'bin/mon-ctl.js',
          'configure',
          '-n',
          '--url',
          url,
          '--username',
          'admin',
          '--password',
          adminPassword,
        ],
        { encoding: 'utf8', env: { PATH: process.env.PATH ?? '', HOME: dir } },
      );
      assert.notEqual(status, 0, url);
      return stderr;
    };
    const client = async (url: string, why: RegExp): Promise<void> => {
      const config = join(dir, `client-${programs.length}.json`);
      const off = { enabled: false };
      const definition = { name: 'c1', address: 'a', subscriptions: [], socket: off, http_socket: off };
      writeFileSync(
        config,
        JSON.stringify({ transport: { name: 'websocket' }, client: definition, websocket: { url } }),
      );
      const program = startProgram('mon-client', ['-c', config]);
      programs.push(program);
      assert.match(String((await program.line('transport connection error')).reason), why);
    };

    assert.match(
      await agent(withScheme(secure.agents, 'ws')),
      new RegExp(`if the backend uses TLS, use ${withScheme(secure.agents, 'wss')}`),
    );
    assert.match(
      await agent(withScheme(plain.agents, 'wss')),
      new RegExp(`the backend does not use TLS on this port: use ${plain.agents}`),
    );
    assert.match(await agent(withScheme(secure.agents, 'wss')), /set --trusted-ca-file to its authority/);
    assert.match(ctl(withScheme(secure.api, 'http')), /does the backend speak https there\?/);
    assert.match(
      ctl(withScheme(plain.api, 'https')),
      /does not speak TLS; does the API URL begin with http:/,
    );
    assert.match(
      ctl(withScheme(secure.api, 'https')),
      /name the authority that signed it with --trusted-ca-file/,
    );
    await client(`ws://127.0.0.1:${securePort}/transport`, /if the backend uses TLS, use wss:/);
    await client(`wss://127.0.0.1:${plainPort}/transport`, /does not use TLS on this port: use ws:/);
    await client(
      `wss://127.0.0.1:${securePort}/transport`,
      /not signed by an authority that this machine trusts/,
    );
  }),
);
