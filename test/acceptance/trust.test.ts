// `--trusted-ca-file`: whom the backend program believes when it connects to others, and that SIGHUP is enough to change it.
import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { hasOpenssl, makeAuthority } from '../http/certificates.ts';
import { startStore } from '../secrets/local-store.ts';
import { ApiClient, eventually, inDefault, startBackend, startProgram, tempDir } from './programs.ts';

const options = { skip: hasOpenssl ? false : 'no openssl program' };
if (!hasOpenssl) console.error('trust.test: SKIPPED, there is no openssl program on this machine');

test('a secrets store is believed once its authority is in the file and SIGHUP came', options, (t) =>
  tempDir(async (dir) => {
    const authority = makeAuthority(t);
    const store = await startStore(t, authority);
    store.data.set('/v1/secret/data/pager', { data: { token: 'the-pager-token' } });
    const [caFile, told] = [join(dir, 'ca.pem'), join(dir, 'told')];
    await copyFile(makeAuthority(t).caFile, caFile);
    const backend = await startBackend(join(dir, 'state'), ['--trusted-ca-file', caFile]);
    try {
      const client = await ApiClient.login(backend.api);
      const put = async (path: string, body: object) => {
        const reply = await client.call('PUT', path, body);
        assert.equal(reply.status, 201, await reply.text());
      };
      const vault = { address: store.url, token: store.token, version: 'v2', max_retries: 0, timeout: '5s' };
      const inSecrets = '/api/enterprise/secrets/v1';
      await put(`${inSecrets}/providers/vault`, {
        ...{ type: 'StoreProvider', api_version: 'secrets/v1', metadata: { name: 'vault' } },
        spec: { client: vault },
      });
      await put(`${inSecrets}/namespaces/default/secrets/pager`, {
        ...{ type: 'Secret', api_version: 'secrets/v1', metadata: { name: 'pager', namespace: 'default' } },
        spec: { provider: 'vault', id: 'secret/pager#token' },
      });
      await put(inDefault('handlers/tell'), {
        type: 'pipe',
        command: `printf '%s' "$PAGER_TOKEN" > ${told}`,
        secrets: [{ name: 'PAGER_TOKEN', secret: 'pager' }],
      });
      await client.post(inDefault('events'), {
        entity: { entity_class: 'proxy', metadata: { name: 'web' } },
        check: { metadata: { name: 'load' }, interval: 60, status: 2, handlers: ['tell'] },
      });
      await eventually('a delivery that waits for the store', async () =>
        /^mon_backend_queue_length\{queue="delivery_retries"\} 1$/m.test(
          await fetch(`${backend.api}/metrics`).then((reply) => reply.text()),
        ),
      );
      assert.equal(store.asked.length, 0, 'nothing was sent to a store nobody vouches for');

      await copyFile(authority.caFile, caFile);
      backend.program.process.kill('SIGHUP');
      await backend.program.line('trusted authorities were reloaded');
      const text = await eventually('the handler that is told the secret', () =>
        readFile(told, 'utf8').catch(() => undefined),
      );
      assert.equal(text, 'the-pager-token');
    } finally {
      await backend.program.kill();
    }
  }),
);

test('a file of authorities that is none stops the start and is named', () =>
  tempDir(async (dir) => {
    const file = join(dir, 'gone.pem');
    const flags = ['--state-dir', join(dir, 'state'), '--trusted-ca-file', file];
    const program = startProgram('mon-backend', ['start', ...flags]);
    await program.line(`Error reading CA file: `);
    assert.equal((await program.exited).code, 1);
    assert.ok(program.lines.some((line) => JSON.stringify(line).includes(file)));
  }));
