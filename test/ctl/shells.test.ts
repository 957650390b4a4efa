// Completion in the shells themselves, where they are installed.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openProcess } from './harness.ts';
import { runHere } from './in-process.ts';

const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** Prints what the shell offers for `mon-ctl check info d`. */
const scripts: Readonly<Record<string, string>> = {
  bash: `source <(mon-ctl completion bash)
COMP_WORDS=(mon-ctl check info d); COMP_CWORD=3
_mon_ctl; printf '%s\\n' "\${COMPREPLY[@]}"`,
  zsh: `compdef() { : }
compadd() { print -l -- $found }
eval "$(mon-ctl completion zsh)"
words=(mon-ctl check info d); CURRENT=4
_mon_ctl`,
  fish: `mon-ctl completion fish | source; complete -C 'mon-ctl check info d'`,
};

const open = async (t: TestContext) => {
  const { dir, folder } = await openProcess(t);
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(resolve('bin/mon-ctl.js'), join(bin, 'mon-ctl'));
  const env = { ...process.env, MON_CONFIG_DIR: dir, HOME: folder, PATH: `${bin}:${process.env.PATH}` };
  return { dir, env };
};

const run = (shell: string, script: string, env: NodeJS.ProcessEnv): Promise<string> =>
  new Promise((done, reject) => {
    const child = spawn(shell, shell === 'zsh' ? ['-f', '-c', script] : ['-c', script], { env });
    let out = '';
    child.stdout.on('data', (part: Buffer) => {
      out += part;
    });
    child.once('error', reject);
    child.once('close', () => done(out));
  });

for (const [shell, script] of Object.entries(scripts))
  test(`${shell} completes names of the backend`, {
    skip: !isThere(shell) && `${shell} is not installed`,
  }, async (t) => {
    const { dir, env } = await open(t);
    for (const name of ['disk', 'dns', 'cpu'])
      await runHere(['check', 'create', name, '-c', 'true', '-i', '60', '-s', 'linux'], {
        MON_CONFIG_DIR: dir,
      });
    assert.deepEqual((await run(shell, script, env)).trim().split('\n'), ['disk', 'dns']);
  });
