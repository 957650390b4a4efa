// The tree of commands as a whole: each has a recorded run or a test, and examples that exist.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandSpec } from '../../src/ctl/command.ts';
import { commandTree } from '../../src/ctl/tree/command-tree.ts';
import { shellWords } from './in-process.ts';
import { recordedFolder as folder, linesOf } from './recorded-lines.ts';

const files = readdirSync(folder);

/** Commands that a recorded session can't hold, and where they are tested. */
const elsewhere: Readonly<Record<string, string>> = {
  'job start': 'live.test.ts',
  'job list': 'live.test.ts',
  'job info': 'live.test.ts',
  'job cancel': 'live.test.ts',
  'silenced extend': 'live.test.ts',
  'silenced status': 'live.test.ts',
  configure: 'sign-in.test.ts',
  login: 'sign-in.test.ts',
  logout: 'sign-in.test.ts',
  'config list': 'sign-in.test.ts',
  'config use': 'sign-in.test.ts',
  'config delete': 'sign-in.test.ts',
  edit: 'files.test.ts',
  completion: 'files.test.ts',
  'asset add': 'assets.test.ts',
  'asset outdated': 'assets.test.ts',
  'command install': 'assets.test.ts',
  'command exec': 'assets.test.ts',
  'command list': 'assets.test.ts',
  'command delete': 'assets.test.ts',
  'import sensu-go': 'import.test.ts',
  'import sensu-core': 'import.test.ts',
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
  'cluster status': 'site.test.ts',
  'cluster drain': 'site.test.ts',
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
      const words = shellWords((example.slice(at).split(' -- ')[0] ?? '').replaceAll(/"[^"]*"/g, 'X')).map(
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
