import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { serialiseEvent } from '../../src/pipeline/serialise.ts';
import { openCtl, tempFolder } from './harness.ts';
import { runHere } from './in-process.ts';

const check = (name: string, command = 'uptime') =>
  `type: CheckConfig\napi_version: core/v2\nmetadata:\n  name: ${name}\nspec:\n  command: ${command}\n  interval: 60\n  subscriptions: [linux]\n`;
const json = (name: string) =>
  JSON.stringify({
    type: 'Handler',
    api_version: 'core/v2',
    metadata: { name },
    spec: { type: 'pipe', command: 'cat' },
  });

const open = async (t: Parameters<typeof openCtl>[0]) => {
  const ctl = await openCtl(t);
  const folder = await tempFolder(t);
  const env = { MON_CONFIG_DIR: ctl.dir };
  const say = (words: readonly string[], input = '') => runHere(words, env, input);
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const names = async (kind: string): Promise<string[]> =>
    JSON.parse((await say([kind, 'list', '--format', 'json'])).text).map(
      ({ metadata }: { metadata: { name: string } }) => metadata.name,
    );
  return { ...ctl, env, folder, say, file, names };
};

test('create reads files, folders, standard input and URLs, in YAML and JSON, with many documents', async (t) => {
  const { say, file, folder, names } = await open(t);
  await file('a.yaml', `---\n${check('a1')}---\n---\n${check('a2')}`);
  await file('b.json', `${json('b1')}\n${json('b2')}\n---\n[${json('b3')}]`);
  await file('notes.txt', 'not a resource');
  await mkdir(join(folder, 'inner'));
  await file('inner/c.yml', check('c1'));
  assert.equal((await say(['create', '-f', folder])).code, 0);
  assert.deepEqual(await names('check'), ['a1', 'a2']);
  assert.deepEqual(await names('handler'), ['b1', 'b2', 'b3']);
  assert.equal((await say(['create', '-r', '-f', folder])).code, 0);
  assert.deepEqual(await names('check'), ['a1', 'a2', 'c1']);
  assert.equal((await say(['create'], check('piped'))).code, 0);
  const server = createServer((_request, response) => response.end(check('fetched')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  assert.equal((await say(['create', '-f', `http://127.0.0.1:${port}/c.yaml`])).code, 0);
  assert.deepEqual(await names('check'), ['a1', 'a2', 'c1', 'fetched', 'piped']);
  assert.equal((await say(['delete', '-r', '-f', folder])).code, 0);
  assert.deepEqual(await names('check'), ['fetched', 'piped']);
});

test('timestamps of metrics in nanoseconds reach handlers to the digit, from JSON and from YAML', async (t) => {
  const texts: string[] = [];
  const { say, house } = await open(t);
  const accept = house.backend.acceptEvent.bind(house.backend);
  house.backend.acceptEvent = (event, ...rest) => {
    texts.push(serialiseEvent(event));
    return accept(event, ...rest);
  };
  const nanoseconds = ['1700000000123456789', '-1700000000123456789', '9223372036854775807', '1700000000'];
  const points = nanoseconds.map((timestamp) => `{"name": "m", "value": 1, "timestamp": ${timestamp}}`);
  const inJson = `{"type": "Event", "api_version": "core/v2", "metadata": {}, "spec": {
    "entity": {"entity_class": "proxy", "metadata": {"name": "meter", "namespace": "default"}},
    "check": {"interval": 60, "metadata": {"name": "load", "namespace": "default"}},
    "metrics": {"handlers": [], "points": [${points.join(', ')}]}}}`;
  const inYaml = `type: Event
api_version: core/v2
metadata: {}
spec:
  entity: {entity_class: proxy, metadata: {name: meter, namespace: default}}
  check: {interval: 60, metadata: {name: load, namespace: default}}
  metrics:
    handlers: []
    points:
${nanoseconds.map((timestamp) => `      - name: m\n        value: 1\n        timestamp: ${timestamp}\n`).join('')}`;
  for (const text of [inJson, `[${inJson}]`, inYaml]) {
    const { code, text: said } = await say(['create'], text);
    assert.equal(code, 0, said);
    const sent = texts.pop() ?? '';
    const found = [...sent.slice(sent.indexOf('"points"')).matchAll(/"timestamp":(-?\d+)/g)];
    assert.deepEqual(
      found.map(([, digits]) => digits),
      nanoseconds,
    );
    const { code: valid, text: findings } = await say(['validate'], text);
    assert.equal(valid, 0, findings);
  }
});

test('one bad document names its file and number, and nothing of any file is sent', async (t) => {
  const { say, file, names } = await open(t);
  const good = await file('good.yaml', check('good'));
  const header = 'type: CheckConfig\nmetadata: {name: x}\n';
  for (const [text, why] of [
    [`${header}spec: {command: [}`, /YAML|flow/i],
    [`${header}`, /no spec provided/],
    [`${header}command: true\nspec: {}`, /unknown field "command"/],
    ['type: Nonsense\nmetadata: {name: x}\nspec: {}', /unknown type "Nonsense"/],
    ['metadata: {name: x}\nspec: {}', /type is missing/],
    ['type: CheckConfig\nspec: {}', /metadata.name is missing/],
    ['{"type": "CheckConfig"', /JSON/],
    ['just words', /must be an object/],
  ] as const) {
    const bad = await file('bad.yaml', `${check('first')}---\n${text}`);
    const { code, text: said } = await say(['create', '-f', good, '-f', bad]);
    assert.equal(code, 1);
    assert.ok(said.startsWith(`Error: in ${bad}: document 2: `), said);
    assert.match(said, why);
  }
  assert.deepEqual(await names('check'), []);
});

test('what the server refuses is said with its file, number and address', async (t) => {
  const { say, file } = await open(t);
  const path = await file('refused.yaml', `${check('fine')}---\n${check('bad').replace('60', '-5')}`);
  const { code, text } = await say(['create', '-f', path]);
  assert.equal(code, 1);
  assert.match(
    text,
    /^Error: error putting resource #1 with name "bad" and namespace "default" \(\/api\/.*\/checks\/bad; .*refused\.yaml: document 2\): .*interval/,
  );
});

test('resources are written in the order in which they can exist, whatever the order of the file', async (t) => {
  const { say } = await open(t);
  const namespace = 'type: Namespace\napi_version: core/v2\nmetadata: {}\nspec:\n  name: later\n';
  const inside = check('inside').replace('name: inside', 'name: inside\n  namespace: later');
  const made = await say(['create'], `${inside}---\n${namespace}`);
  assert.equal(made.code, 0, made.text);
  assert.match((await say(['check', 'list', '--namespace', 'later'])).text, /inside/);
});

test('apply says what became of each resource', async (t) => {
  const { say } = await open(t);
  const became = async (text: string) =>
    /^CheckConfig one (\w+)$/m.exec((await say(['apply'], text)).text)?.[1];
  assert.equal(await became(check('one')), 'created');
  assert.equal(await became(check('one')), 'unchanged');
  assert.equal(await became(check('one', 'df')), 'configured');
});

type Say = (words: readonly string[], input?: string) => Promise<{ code: number; text: string }>;

const makeEverything = async (say: Say): Promise<void> => {
  const commands = [
    'namespace create web',
    'check create disk -c df -i 60 -s linux --handlers mail --ttl 90',
    'check create cron -c true --cron 0 -s linux',
    'handler create mail --command cat',
    'filter create f -a allow -s event.check.status==1',
    'mutator create m -c cat',
    'hook create h -c ps',
    'entity create web01 -s linux',
    'role create r -v get -r checks',
    'role-binding create rb -r r -u joe',
    'cluster-role create cr -v get -r checks',
    'cluster-role-binding create crb -c cr -u joe',
    'silenced create -s linux -r hot --begin 2040-01-02T15:04:00Z -e 60',
  ];
  for (const command of commands) {
    const words = command.split(' ').map((word) => (word === '0' ? '0 * * * *' : word));
    assert.equal((await say(words)).code, 0, command);
  }
  const event = {
    type: 'Event',
    api_version: 'core/v2',
    metadata: { namespace: 'default' },
    spec: {
      entity: { metadata: { name: 'web01', namespace: 'default' }, entity_class: 'proxy' },
      check: {
        metadata: { name: 'disk', namespace: 'default' },
        interval: 60,
        status: 1,
        output: 'full\nvery',
      },
    },
  };
  assert.deepEqual(await say(['create'], JSON.stringify(event)), { code: 0, text: '' });
};

for (const format of ['yaml', 'wrapped-json'])
  test(`a dump in ${format} made into another backend dumps as the same text`, async (t) => {
    const first = await open(t);
    const second = await open(t);
    await makeEverything(first.say);
    const words = ['dump', 'all', '--all-namespaces', '--omit', 'users,apikeys', '--format', format];
    const dumped = await first.say(words);
    assert.equal(dumped.code, 0);
    const made = await second.say(['create'], dumped.text);
    assert.equal(made.code, 0, made.text);
    // No agent is connected that could run the checks, and the backend says so.
    assert.match(made.text, /^(resource \d+: warning: .*\n)*$/);
    // Seeded roles have no author until somebody writes them.
    const anonymous = (text: string) =>
      text.replaceAll(/,?\n +(?:"created_by": "[^"]*"|created_by: .*)/g, '');
    assert.equal(anonymous((await second.say(words)).text), anonymous(dumped.text));
  });

test('a provider whose secrets are masked is left out where it is new, and keeps them where it is known', async (t) => {
  const first = await open(t);
  const second = await open(t);
  const provider = JSON.stringify({
    type: 'VaultProvider',
    api_version: 'secrets/v1',
    metadata: { name: 'vault' },
    spec: { client: { address: 'https://vault.example:8200', token: 'a-token', version: 'v2' } },
  });
  assert.equal((await first.say(['create'], provider)).code, 0);
  assert.equal((await first.say(['create'], check('disk'))).code, 0);
  const dumped = await first.say(['dump', 'secrets/v1.VaultProvider,checks']);
  assert.match(dumped.text, /token: REDACTED/);
  const made = await second.say(['create'], dumped.text);
  assert.equal(made.code, 1);
  assert.match(
    made.text,
    /"vault" was left out: its secrets are REDACTED in the file.*\nError: 1 of 3 resources/,
  );
  assert.match(
    (await second.say(['check', 'list', '--format', 'json'])).text,
    /disk/,
    'written all the same',
  );
  const tried = await second.say(['apply', '--dry-run'], dumped.text);
  assert.match(tried.text, /Provider vault would be left out/);
  const again = await first.say(['create'], dumped.text);
  assert.equal(again.code, 0, again.text);
});

test('what can not be restored from a dump is named, and everything else is written', async (t) => {
  const first = await open(t);
  const second = await open(t);
  await first.say(['user', 'create', 'joe', '-p', 'joe-password-1']);
  await first.say(['api-key', 'grant', 'joe']);
  await makeEverything(first.say);
  const path = join(first.folder, 'dump.yaml');
  assert.deepEqual(await first.say(['dump', 'all', '-f', path]), { code: 0, text: '' });
  assert.equal(((await stat(path)).mode & 0o777).toString(8), '600');
  assert.deepEqual(await readdir(first.folder), ['dump.yaml']);
  const { code, text } = await second.say(['create', '-f', path]);
  assert.equal(code, 1);
  assert.match(text, /User "joe" was left out: a user needs a password/);
  assert.match(text, /APIKey "[0-9a-f-]+" was left out: API keys can not be written/);
  assert.match(text, /Error: \d of \d+ resources were left out, all others were written\n$/);
  assert.deepEqual(await second.names('check'), ['cron', 'disk']);
});

test('an edited resource is written back, and a text that is refused is kept', async (t) => {
  const { say, env, folder, file } = await open(t);
  await say(['create'], check('disk', 'df'));
  const edit = (script: string) =>
    runHere(['edit', 'check', 'disk'], { ...env, PATH: process.env.PATH ?? '', EDITOR: script });
  const changed = await edit("sed -i 's/command: df/command: df -P/'");
  assert.deepEqual(
    [changed.code, changed.text.split('\n').at(-2)],
    [0, 'Updated /api/core/v2/namespaces/default/checks/disk'],
  );
  assert.match((await say(['check', 'info', 'disk'])).text, /Command: +df -P/);
  assert.deepEqual(await edit('true'), { code: 0, text: 'nothing was changed\n' });
  const refused = await edit("sed -i 's/interval: 60/interval: -5/'");
  assert.equal(refused.code, 1);
  const kept = /Your text is kept in (\S+);/.exec(refused.text)?.[1] ?? '';
  assert.match(await readFile(kept, 'utf8'), /interval: -5/);
  assert.match((await edit('false')).text, /the editor "false" ended with 1/);
  const blank = await file('new.yaml', check('fresh'));
  const made = await runHere(['edit', 'check', 'fresh', '--blank'], { ...env, EDITOR: `cp ${blank}` });
  assert.match(made.text, /Updated .*checks\/fresh/);
  assert.ok(folder);
});

test('completion knows commands, flags and the names of resources, and is silent without a backend', async (t) => {
  const { say, env } = await open(t);
  await say(['create'], `${check('disk')}---\n${check('dns')}---\n${check('cpu')}`);
  const complete = async (...words: string[]) =>
    (await say(['__complete', '--', ...words])).text.split('\n').filter((line) => line !== '');
  assert.deepEqual(await complete('che'), ['check']);
  assert.deepEqual(await complete('check', 'set-int'), ['set-interval']);
  assert.deepEqual(await complete('check', 'info', 'd'), ['disk', 'dns']);
  assert.deepEqual(await complete('check', 'list', '--form'), ['--format']);
  assert.deepEqual(await complete('check', 'list', '--format', 'y'), ['yaml']);
  assert.deepEqual(await complete('dump', 'chec'), ['checks']);
  assert.deepEqual(await complete('explain', 'hoo'), ['hooks']);
  assert.deepEqual(await complete('config', 'use', ''), ['default']);
  assert.deepEqual(await complete('check', 'list', '--namespace', ''), ['default']);
  assert.deepEqual(await complete('check', 'set-interval', 'disk', ''), []);
  assert.deepEqual(
    await runHere(['__complete', '--', 'check', 'info', ''], { ...env, MON_API_URL: 'http://127.0.0.1:1' }),
    { code: 0, text: '' },
  );
  for (const shell of ['bash', 'zsh', 'fish'])
    assert.match((await say(['completion', shell])).text, /mon-ctl __complete --/);
});
