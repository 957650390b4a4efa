// Configuration in files: what would change, what is wrong, what a field is, and what nobody describes any more.
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openProcess, tempFolder } from './harness.ts';
import { runHere } from './in-process.ts';

const check = (name: string, more = '') =>
  `type: CheckConfig\nmetadata:\n  name: ${name}\nspec:\n  command: df\n  interval: 60\n  subscriptions: [linux]\n  publish: false\n${more}`;
const handler = 'type: Handler\nmetadata: {name: mail}\nspec: {type: pipe, command: cat}\n';

const open = async (t: TestContext) => {
  const { dir, folder } = await openProcess(t);
  const files = join(folder, 'files');
  await mkdir(files);
  const say = (...words: string[]) => runHere(words, { MON_CONFIG_DIR: dir });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(files, name), text);
    return join(files, name);
  };
  const names = async (kind: string): Promise<string[]> =>
    JSON.parse((await say(kind, 'list', '--format', 'json')).text).map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  const sayAtTerminal = (...words: string[]) => runHere(words, { MON_CONFIG_DIR: dir }, 'n\n', true);
  return { say, sayAtTerminal, file, files, names };
};

test('diff shows what apply would change, and --dry-run says it of each resource; neither writes', async (t) => {
  const { say, file, names } = await open(t);
  const path = await file('checks.yaml', `${check('disk')}---\n${check('cpu')}`);
  const dry = await say('apply', '--dry-run', '-f', path);
  assert.equal(dry.code, 0, dry.text);
  assert.match(
    dry.text,
    /^CheckConfig disk would be created\nCheckConfig cpu would be created\nnothing was written;/,
  );
  assert.deepEqual(await names('check'), []);
  assert.equal((await say('apply', '-f', path)).code, 0);
  assert.deepEqual(await say('diff', '-f', path), { code: 0, text: '' });
  // An empty list is none.
  await say('check', 'update', 'disk', '--handlers', '', '--runtime-assets', '');
  assert.deepEqual(await say('diff', '-f', path), { code: 0, text: '' });
  await file('checks.yaml', `${check('disk', '  timeout: 5\n')}---\n${check('cpu')}---\n${handler}`);
  const { code, text } = await say('diff', '-f', path);
  assert.equal(code, 1);
  assert.match(
    text,
    /^--- backend: CheckConfig default\/disk\n\+\+\+ .*checks\.yaml: document 1: CheckConfig default\/disk\n@@ -\d+,5 \+\d+,5 @@\n(?: .*\n)+- {2}timeout: 0\n\+ {2}timeout: 5\n(?: .*\n)+--- \/dev\/null\n\+\+\+ .*document 3: Handler default\/mail\n@@ -0,0 \+1,\d+ @@\n\+/,
  );
  assert.match(text, /2 of 3 resources differ\n$/);
  assert.match(
    (await say('apply', '--dry-run', '-f', path)).text,
    /^CheckConfig disk would be configured\nCheckConfig cpu would be unchanged\nHandler mail would be created\n/,
  );
  assert.deepEqual(await names('handler'), []);
  await file('checks.yaml', check('bad', '  ttl: soon\n'));
  for (const words of [['diff'], ['apply', '--dry-run']]) {
    const refused = await say(...words, '-f', path);
    assert.equal(refused.code, 1);
    assert.match(refused.text, /checks\.yaml:9:3: check\.ttl must be an integer \(got "soon"\)/);
  }
});

test('validate names file, line and column of every mistake, without a backend', async (t) => {
  const folder = await tempFolder(t);
  const say = (...words: string[]) => runHere(words, { MON_CONFIG_DIR: join(folder, 'none') });
  const file = async (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
  await file('a.yaml', `${check('fine')}---\n${check('bad', '  ttl: soon\n  comand: x\n')}`);
  await file(
    'b.json',
    `${JSON.stringify({ type: 'Handler', metadata: { name: 'h' }, spec: { type: 'pope' } })}\n{"type": "Nonsense",\n "spec": {}}`,
  );
  await file('c.yaml', 'type: CheckConfig\nmetadata: {name: x}\nspec:\n  command: [\n');
  await file('d.yaml', 'type: CheckConfig\nmetadata: {name: x}\ncommand: true\nspec: {}\n');
  await file(
    'e.yaml',
    'type: Secret\napi_version: secrets/v1\nmetadata: {name: s}\nspec:\n  id: 5\n  provider: env\n',
  );
  await file(
    'f.yaml',
    'type: EventFilter\nmetadata: {name: f}\nspec:\n  action: allow\n  expressions: ["event.check.status =="]\n',
  );
  const { code, text } = await say('validate', '-f', folder);
  assert.equal(code, 1);
  const found = text.replaceAll(`${folder}/`, '').split('\n');
  assert.deepEqual(
    found.slice(0, -2).map((line) => line.replace(/^(\S+ \w+: .{0,40}).*/, '$1').trim()),
    [
      'a.yaml:18:3: error: check.ttl must be an integer (got "soon"',
      'a.yaml:19:3: warning: unknown field comand, did you mean comma',
      'b.json:1:51: error: unknown handler type: pope (use one of p',
      'b.json:2:1: error: error parsing spec: unknown type "Nonsen',
      'c.yaml:5:1: error: Flow sequence in block collection must b',
      'd.yaml:3:1: error: error parsing data as wrapped-json: unkn',
      'e.yaml:5:3: error: spec.id must be a string (got 5)',
      'f.yaml:5:17: error: syntax error in expression 0: Unexpected',
    ],
  );
  assert.equal(found.at(-2), 'Error: 7 errors and 1 warning in the files');
  await file('a.yaml', check('fine', '  comand: x\n'));
  assert.deepEqual(
    await say('validate', '-f', join(folder, 'a.yaml')).then(({ code: ended, text: said }) => [
      ended,
      said.split('\n')[1],
    ]),
    [0, '1 resource checked, 1 warning'],
  );
  assert.equal((await say('validate', '--strict', '-f', join(folder, 'a.yaml'))).code, 1);
});

test('explain tells type, unit, default and allowed values of every field of every kind', async () => {
  const say = (...words: string[]) => runHere(words, { MON_CONFIG_DIR: '/nonexistent' });
  assert.equal(
    (await say('explain', 'check.interval')).text,
    'core/v2.CheckConfig.interval  <integer>\n  Time between two runs; either this or cron.\n  unit: seconds\n  default: 0\n  at least 0\n',
  );
  assert.match((await say('explain', 'handler.type')).text, /allowed: pipe, tcp, udp, set/);
  assert.match(
    (await say('explain', 'check.proxy_requests')).text,
    /<object>[\s\S]*Fields:\n {2}entity_attributes {2}<list of string>/,
  );
  assert.match(
    (await say('explain', 'check.nonsense')).text,
    /check has no field "nonsense"; it has metadata, command/,
  );
  const types = JSON.parse((await say('describe-type', 'all', '--format', 'json')).text) as {
    fully_qualified_name: string;
  }[];
  for (const { fully_qualified_name: name } of types)
    assert.equal((await say('explain', name)).code, 0, name);
});

test('prune deletes what apply wrote and the files no longer describe, and nothing else', async (t) => {
  const { say, sayAtTerminal, file, names } = await open(t);
  const path = await file('all.yaml', `${check('keep')}---\n${check('drop')}---\n${handler}`);
  await say('apply', '-f', path);
  await say('check', 'create', 'by-hand', '-c', 'true', '-i', '60', '-s', 'linux');
  await file('all.yaml', check('keep'));
  const dry = await say('prune', 'checks,handlers', '--dry-run', '-f', path);
  assert.deepEqual(
    dry.text
      .split('\n')
      .slice(2)
      .map((line) => line.trim().split(/ +/)),
    [
      ['CheckConfig', 'core/v2', 'default', 'drop', 'admin'],
      ['Handler', 'core/v2', 'default', 'mail', 'admin'],
      [''],
    ],
  );
  const omitted = await say('prune', 'checks,handlers', '--omit', 'handlers', '--dry-run', '-f', path);
  assert.match(omitted.text, /CheckConfig/);
  assert.doesNotMatch(omitted.text, /Handler/);
  assert.deepEqual(await names('check'), ['by-hand', 'drop', 'keep']);
  // Of somebody else, and of another label.
  for (const flags of [
    ['--users', 'joe'],
    ['--label-selector', 'team == "web"'],
  ])
    assert.equal((await say('prune', 'checks', '-f', path, ...flags)).text.split('\n').length, 3);
  const asked = await sayAtTerminal('prune', 'checks', '-f', path);
  assert.match(asked.text, /delete these 1 resources\?[\s\S]*Canceled/);
  assert.equal((await say('prune', 'checks', '-f', path)).code, 0);
  assert.deepEqual(await names('check'), ['by-hand', 'keep']);
  const nothing = await sayAtTerminal('prune', 'checks', '-f', path);
  assert.equal(nothing.code, 0);
  assert.doesNotMatch(nothing.text, /\?|Canceled/, 'nothing to delete, nothing to ask');
  assert.deepEqual(await names('handler'), ['mail']);
});
