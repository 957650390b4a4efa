// Recorded sessions: every command line of a file, with the output it had when somebody looked at it, over a backend that runs
// as a process of its own. Lines after a command that begin with `< ` are its standard input. What differs from run to run
// (times, keys) is written in angle brackets. `RECORD=1` writes the files anew; look at the difference.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandSpec } from '../../src/ctl/command.ts';
import { commandTree } from '../../src/ctl/tree/command-tree.ts';
import { openProcess } from './harness.ts';
import { runHere, shellWords } from './in-process.ts';

const folder = join('test', 'ctl', 'recorded');
const files = readdirSync(folder);

const steady = (text: string, url: string): string =>
  text
    .replaceAll(url, '<url>')
    .replaceAll(
      /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g,
      '<------------uuid------------------>',
    )
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+0000 UTC/g, '<----------time------------->')
    .replaceAll(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<------time-------->')
    .replaceAll(/\b1[789]\d{8}\b/g, '<-time-->')
    .replaceAll(/\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/g, '<bcrypt hash>')
    .replaceAll(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<access token>')
    .replaceAll(/(REFRESH_TOKEN=)"[^"]*"/g, '$1"<refresh token>"')
    .replace(/\(node v[\d.]+\)/, '(node <version>)')
    .replaceAll(/[ \t]+$/gm, '');

interface Line {
  readonly command: string;
  readonly input: readonly string[];
}

const linesOf = (recorded: string): readonly Line[] => {
  const found: { command: string; input: string[] }[] = [];
  let mayBeInput = false;
  for (const line of recorded.split('\n')) {
    const isInput: boolean = mayBeInput && line.startsWith('< ');
    if (isInput) found.at(-1)?.input.push(line.slice(2));
    else if (line.startsWith('$ mon-ctl ')) found.push({ command: line, input: [] });
    mayBeInput = isInput || line.startsWith('$ mon-ctl ');
  }
  return found;
};

process.env.TZ = 'UTC';

for (const file of files) {
  test(`the recorded session ${file} has the same output again`, async (t) => {
    const { dir, url } = await openProcess(t);
    const path = join(folder, file);
    const recorded = readFileSync(path, 'utf8');
    // A key that was granted is known to later lines as KEY.
    let key = '';
    let again = '';
    for (const { command, input } of linesOf(recorded)) {
      const words = shellWords(command)
        .slice(2)
        .map((word) => (word === 'KEY' ? key : word));
      const { code, text } = await runHere(words, { MON_CONFIG_DIR: dir }, input.join('\n'));
      key = /^Created: .*\/apikeys\/(\S+)$/m.exec(text)?.[1] ?? key;
      again += [command, ...input.map((line) => `< ${line}`)].join('\n');
      again += `\n${steady(text, url)}${code === 0 ? '' : `[${code}]\n`}\n`;
    }
    if (process.env.RECORD) writeFileSync(path, again);
    else assert.equal(again, recorded);
  });
}

/** Commands that a recorded session can't hold, and where they are tested. */
const elsewhere: Readonly<Record<string, string>> = {
  configure: 'sign-in.test.ts',
  login: 'sign-in.test.ts',
  logout: 'sign-in.test.ts',
  'config list': 'sign-in.test.ts',
  'config use': 'sign-in.test.ts',
  'config delete': 'sign-in.test.ts',
  edit: 'files.test.ts',
  completion: 'files.test.ts',
  'event trace': 'live.test.ts',
  'event history': 'live.test.ts',
  'actor list': 'live.test.ts',
  'actor info': 'live.test.ts',
  'actor tree': 'live.test.ts',
  'actor watch': 'live.test.ts',
  'actor dry-run': 'live.test.ts',
  'actor history': 'live.test.ts',
  top: 'live.test.ts',
  'cluster health': 'site.test.ts',
  'cluster member-list': 'site.test.ts',
};

interface Leaf {
  readonly path: string;
  readonly spec: CommandSpec;
}

const leavesOf = async (specs: readonly CommandSpec[], above = ''): Promise<Leaf[]> => {
  const found: Leaf[] = [];
  for (const spec of specs) {
    if (spec.hidden) continue;
    const path = `${above} ${spec.name}`.trim();
    if (spec.load !== undefined) found.push({ path, spec });
    else found.push(...(await leavesOf(spec.commands ?? (await spec.loadCommands?.()) ?? [], path)));
  }
  return found;
};

test('every command has a recorded run, or a test elsewhere', async () => {
  const recorded = files.flatMap((file) =>
    linesOf(readFileSync(join(folder, file), 'utf8')).map(
      ({ command }) => `${command.slice('$ mon-ctl '.length)} `,
    ),
  );
  const missing = (await leavesOf(commandTree))
    .map(({ path }) => path)
    .filter((path) => !recorded.some((line) => line.startsWith(`${path} `)) && elsewhere[path] === undefined);
  assert.deepEqual(missing, []);
  for (const [path, file] of Object.entries(elsewhere)) {
    const text = readFileSync(join('test', 'ctl', file), 'utf8');
    for (const word of path.split(' ')) assert.ok(text.includes(`'${word}'`), `${path} in ${file}`);
  }
});

test('every command has examples, and each of them has the command and its flags', async () => {
  const leaves = await leavesOf(commandTree);
  for (const { path, spec } of leaves) {
    assert.ok((spec.examples ?? []).length > 0, `${path} has no example`);
    for (const example of spec.examples ?? []) {
      const own = new Set((spec.flags ?? []).flatMap(({ name, short }) => [`--${name}`, `-${short}`]));
      const at = example.indexOf(`mon-ctl ${path}`);
      assert.ok(at >= 0, `${path}: ${example}`);
      const words = shellWords(example.slice(at).replaceAll(/"[^"]*"/g, 'X')).map(
        (word) => word.split('=')[0] ?? '',
      );
      for (const word of words.filter((one) => /^--?[a-z]/.test(one)))
        assert.ok(
          own.has(word) || ['--context', '--timeout', '--namespace', '--api-key'].includes(word),
          `${path}: ${word} in ${example}`,
        );
    }
  }
});
