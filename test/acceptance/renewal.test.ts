// The backend as a program: certificates renewed by SIGHUP, agents let in at a rate, licences of one's own key.
import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { connect } from 'node:tls';
import { licenseText } from '../../src/model/license.ts';
import { hasOpenssl, makeAuthority, type Pair } from '../http/certificates.ts';
import { ApiClient, eventually, startBackend, startProgram, tempDir } from './programs.ts';

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
      const backend = await startBackend(join(dir, 'state'), [
        '--cert-file',
        certFile,
        '--key-file',
        keyFile,
      ]);
      try {
        assert.equal(await nameAt(backend.api, authority.ca), 'first');
        await install(second, second);
        backend.program.process.kill('SIGHUP');
        await backend.program.line('certificates were read again');
        assert.equal(await nameAt(backend.api, authority.ca), 'second');
        assert.equal(await nameAt(backend.agents, authority.ca), 'second');
        await install(first, second);
        backend.program.process.kill('SIGHUP');
        await backend.program.line('the old ones stay');
        assert.equal(await nameAt(backend.api, authority.ca), 'second');
      } finally {
        await backend.program.kill();
      }
    }),
);

test('a licence signed with the key of --license-public-key-file is taken, and a file that is no key stops the start', () =>
  tempDir(async (dir) => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const keyFile = join(dir, 'license.pem');
    await writeFile(keyFile, publicKey.export({ type: 'spki', format: 'pem' }));
    const flags = [
      '--license-public-key-file',
      keyFile,
      '--entity-limit',
      '1',
      '--agent-rate-limit',
      '0.001',
    ];
    const backend = await startBackend(join(dir, 'state'), [...flags, '--agent-burst-limit', '1']);
    try {
      const client = await ApiClient.login(backend.api);
      const put = (name: string) =>
        client.call('PUT', `/api/core/v2/namespaces/default/entities/${name}`, { entity_class: 'proxy' });
      assert.equal((await put('one')).status, 200);
      assert.equal((await put('two')).status, 402);
      const terms = {
        entities: 2,
        issued: '2026-01-01T00:00:00Z',
        expires: '2999-01-01T00:00:00Z',
        holder: 'Us',
      };
      const signature = sign(null, Buffer.from(licenseText(terms)), privateKey).toString('base64');
      const path = '/api/enterprise/licensing/v2/license';
      assert.equal((await client.call('PUT', path, { ...terms, signature })).status, 201);
      assert.equal((await put('two')).status, 200);
      assert.equal((await put('three')).status, 402);
      const knock = () => fetch(backend.agents.replace(/^ws/, 'http')).then(({ status }) => status);
      assert.notEqual(await knock(), 429);
      assert.equal(
        await eventually('a second agent at once is told to wait', async () => (await knock()) === 429),
        true,
      );
    } finally {
      await backend.program.kill();
    }
    await writeFile(keyFile, 'nonsense');
    const program = startProgram('mon-backend', ['start', '--state-dir', join(dir, 'x'), ...flags]);
    await program.line('--license-public-key-file');
    assert.equal((await program.exited).code, 1);
  }));
