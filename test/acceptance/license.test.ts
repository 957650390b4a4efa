// Licences from end to end, as an owner issues them: keys and licences made with the program, put over the API.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { ApiClient, startBackend, startProgram, tempDir } from './programs.ts';

const path = '/api/enterprise/licensing/v2/license';

/** Runs a command of the program to its end. */
const run = async (...args: string[]): Promise<{ code: number | null; text: string }> => {
  const program = startProgram('mon-backend', args);
  // Not only ended: all it printed was read.
  const [code] = await once(program.process, 'close');
  const text = program.lines
    .map((line) => ('msg' in line ? String(line.msg) : JSON.stringify(line)))
    .join('\n');
  return { code, text };
};

const keys = (dir: string, name: string) => ({
  privateFile: join(dir, `${name}.pem`),
  publicFile: join(dir, `${name}.pub.pem`),
});

const makeKeys = async (dir: string, name: string) => {
  const pair = keys(dir, name);
  const flags = ['--private-key-file', pair.privateFile, '--public-key-file', pair.publicFile];
  return { ...pair, made: await run('license', 'new-key', ...flags) };
};

const sign = (privateFile: string, entities: string, expires = '2999-01-01T00:00:00Z') =>
  run(
    ...['license', 'sign', '--private-key-file', privateFile, '--holder', 'Example Org'],
    ...['--entities', entities, '--expires', expires],
  );

test('an owner makes a key, signs a licence with it, and it lifts the limit of a backend that has the public key', () =>
  tempDir(async (dir) => {
    const { privateFile, publicFile, made } = await makeKeys(dir, 'owner');
    assert.equal(made.code, 0, made.text);
    assert.equal((await stat(privateFile)).mode & 0o077, 0, 'nobody else reads the private key');
    const again = await makeKeys(dir, 'owner');
    assert.equal(again.made.code, 1);
    assert.match(again.made.text, /EEXIST/);

    const signed = await sign(privateFile, '2');
    assert.equal(signed.code, 0, signed.text);
    const backend = await startBackend(join(dir, 'state'), [
      ...['--license-public-key-file', publicFile, '--entity-limit', '1'],
    ]);
    try {
      const client = await ApiClient.login(backend.api);
      const put = (name: string) =>
        client.call('PUT', `/api/core/v2/namespaces/default/entities/${name}`, { entity_class: 'proxy' });
      assert.equal((await put('one')).status, 200);
      assert.equal((await put('two')).status, 402);
      assert.equal((await client.call('PUT', path, JSON.parse(signed.text))).status, 201);
      assert.equal((await put('two')).status, 200);
      assert.equal((await put('three')).status, 402);
    } finally {
      await backend.program.kill();
    }
    const without = await startBackend(join(dir, 'state'), ['--entity-limit', '1']);
    try {
      const { why } = await without.program.line('stored license is invalid');
      assert.match(String(why), /--license-public-key-file/);
    } finally {
      await without.program.kill();
    }
  }));

test('what is signed is checked before: a licence holds, is over, was changed, or was never one', () =>
  tempDir(async (dir) => {
    const { privateFile, publicFile } = await makeKeys(dir, 'owner');
    const stranger = await makeKeys(dir, 'stranger');
    const file = join(dir, 'license.json');
    const check = async (text: string) => {
      await writeFile(file, text);
      return run('license', 'check', '--public-key-file', publicFile, file);
    };
    const { text } = await sign(privateFile, '5000');
    assert.deepEqual(await check(text), { code: 0, text: 'the license is valid' });
    const cases: readonly (readonly [string, RegExp])[] = [
      [text.replace('5000', '50000'), /signature does not match/],
      [(await sign(stranger.privateFile, '5')).text, /signature does not match/],
      [(await sign(privateFile, '5', '2020-01-01T00:00:00Z')).text, /the license expired at 2020/],
      ['{}', /license\.entities must be a whole number, 0 or more/],
      ['nonsense', /license\.json: .*JSON/],
    ];
    for (const [license, why] of cases) {
      const answer = await check(license);
      assert.equal(answer.code, 1);
      assert.match(answer.text, why);
    }
    for (const [entities, expires] of [
      ['many', '2999-01-01T00:00:00Z'],
      ['0', '2999-01-01T00:00:00Z'],
      ['5', 'never'],
    ] as const)
      assert.equal((await sign(privateFile, entities, expires)).code, 1);
    const wrongKey = await sign(publicFile, '5');
    assert.equal(wrongKey.code, 1);
    assert.ok(wrongKey.text.includes(publicFile), wrongKey.text);
  }));

test('a public key file that is none stops the start and is named', () =>
  tempDir(async (dir) => {
    const file = join(dir, 'license.pem');
    await writeFile(file, 'nonsense');
    const flags = ['--state-dir', join(dir, 'state'), '--license-public-key-file', file];
    const program = startProgram('mon-backend', ['start', ...flags]);
    await program.line(`--license-public-key-file ${file}`);
    assert.equal((await program.exited).code, 1);
    assert.equal(await readFile(file, 'utf8'), 'nonsense');
  }));
