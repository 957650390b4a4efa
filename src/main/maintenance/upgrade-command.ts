// `mon-backend upgrade`: migrates the records of a store to the format of this program, with the backend running or stopped.
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { version } from '../../program/version.ts';
import { storeFormat } from '../../store/format-marker.ts';
import type { BackendSettings } from '../backend-flags.ts';
import { askControl } from './control-client.ts';
import {
  type ExitWith,
  maintenanceCommand,
  maintenanceSettings,
  runningBackend,
  withStore,
} from './maintenance-command.ts';
import { migrations } from './migrations.ts';
import { createProgress, shownCount } from './progress.ts';
import { storeName } from './store-identity.ts';
import { type UpgradeStep, upgrade } from './upgrade.ts';
import { storeAtRest } from './upgrade-targets.ts';

/** Prompts on standard error, so that standard output contains results only. */
const confirm = async (question: string): Promise<boolean> => {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    for (;;) {
      const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
      const answer = await Promise.race([lines.question(question), ended]);
      if (answer === undefined)
        throw new Error('nobody answered; nothing was upgraded. --skip-confirm asks nothing');
      if (/^y(es)?$/i.test(answer.trim())) return true;
      if (/^(no?)?$/i.test(answer.trim())) return false;
    }
  } finally {
    lines.close();
  }
};

const follow = async (steps: AsyncIterable<UpgradeStep>): Promise<void> => {
  const progress = createProgress();
  let isDone = false;
  try {
    for await (const step of steps) {
      if (step.type === 'progress')
        progress.show(`${shownCount(step.progress)} records looked at, ${shownCount(step.written)} upgraded`);
      else {
        progress.end();
        isDone = true;
        console.log(
          `The store was upgraded from format ${step.from} to ${step.to}; ${shownCount(step.written)} records were written anew.`,
        );
      }
    }
  } finally {
    if (!isDone) progress.end();
  }
};

const run = async (settings: BackendSettings, isConfirmed: boolean): Promise<number> => {
  const where = storeName(settings);
  const running = await runningBackend(settings);
  if (running !== undefined && (running.version !== version || running.format !== storeFormat))
    throw new Error(
      `the backend that runs (pid ${running.pid}) is mon-backend ${running.version} with store format ${running.format}, this is ${version} with format ${storeFormat}: restart it first, then run the upgrade`,
    );
  const migrated =
    running?.migrated ?? (await withStore(settings, 'inspect', async ({ marker }) => marker.migrated));
  if (migrated === storeFormat) {
    console.log(
      `Nothing to upgrade: ${where} already has format ${storeFormat}, that of mon-backend ${version}.`,
    );
    return 0;
  }
  const steps = migrations.filter(({ to }) => to > migrated);
  console.error(
    `${where} has format ${migrated}; mon-backend ${version} has format ${storeFormat}:\n${steps
      .map(({ to, what }) => `  ${to}: ${what}`)
      .join('\n')}\nA backup from before (mon-backend backup FILE) is the only way back to an older version.`,
  );
  if (!isConfirmed && !(await confirm('Upgrade now? [y/n] '))) {
    console.log('Nothing was upgraded.');
    return 1;
  }
  if (running !== undefined)
    await follow(askControl(settings.stateDir, '/v1/upgrade') as AsyncGenerator<UpgradeStep>);
  else await withStore(settings, 'serve', (store) => follow(upgrade(storeAtRest(store))));
  return 0;
};

export const upgradeCommand = (exitWith: ExitWith): Command => {
  const command: Command = maintenanceCommand({
    name: 'upgrade',
    description:
      'bring the store into the format of this version, after the backend was restarted with it; once for a whole cluster, also while it serves',
    examples: ['mon-backend upgrade', 'mon-backend upgrade --skip-confirm --store-url mongodb://db-1/mon'],
  })
    .option('--skip-confirm', 'do not ask before it begins')
    .action(() =>
      exitWith(() => run(maintenanceSettings(command), command.getOptionValue('skipConfirm') === true)),
    );
  return command;
};
