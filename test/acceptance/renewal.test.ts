// The backend as a program: certificates renewed by SIGHUP, agents let in at a rate.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { connect } from 'node:tls';
import { freePort } from '../free-port.ts';
import { hasOpenssl, makeAuthority, type Pair } from '../http/certificates.ts';
import { eventually, startBackend, tempDir } from './programs.ts';

const options = { skip: hasOpenssl ? false : 'no openssl program' };
if (!hasOpenssl) console.error('renewal.test: SKIPPED, there is no openssl program on this machine');

const nameAt = async (url: string, ca: Buffer): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port), ca });
  await once(socket, 'secureConnect');
  const { CN } = socket.getPeerCertificate().subject;
  socket.destroy();
  return String(CN);
};

test(
  'SIGHUP makes the backend use new certificates, and keep the old ones when the new do not fit',
  options,
  (t) =>
    tempDir(async (dir) => {
      const authority = makeAuthority(t);
      const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')];
      const install = async (cert: Pair, key: Pair): Promise<void> => {
        await copyFile(cert.certFile, certFile);
        await copyFile(key.keyFile, keyFile);
      };
      const [first, second] = [authority.issue('first'), authority.issue('second')];
      await install(first, first);
      const earlierPort = await freePort();
      const earlier = `https://127.0.0.1:${earlierPort}`;
      const backend = await startBackend(join(dir, 'state'), [
        '--cert-file',
        certFile,
        '--key-file',
        keyFile,
        '--earlier-api-port',
        String(earlierPort),
      ]);
      try {
        assert.equal(await nameAt(backend.api, authority.ca), 'first');
        await install(second, second);
        backend.program.process.kill('SIGHUP');
        await backend.program.line('certificates were reloaded');
        assert.equal(await nameAt(backend.api, authority.ca), 'second');
        assert.equal(await nameAt(backend.agents, authority.ca), 'second');
        assert.equal(await nameAt(earlier, authority.ca), 'second');
        await install(first, second);
        backend.program.process.kill('SIGHUP');
        await backend.program.line('the old ones stay');
        assert.equal(await nameAt(backend.api, authority.ca), 'second');
      } finally {
        await backend.program.kill();
      }
    }),
);

test('agents beyond the rate are told to wait', () =>
  tempDir(async (dir) => {
    const flags = ['--agent-rate-limit', '0.001', '--agent-burst-limit', '1'];
    const backend = await startBackend(join(dir, 'state'), flags);
    try {
      const knock = () => fetch(backend.agents.replace(/^ws/, 'http')).then(({ status }) => status);
      assert.notEqual(await knock(), 429);
      await eventually('a second agent at once is told to wait', async () => (await knock()) === 429);
    } finally {
      await backend.program.kill();
    }
  }));
