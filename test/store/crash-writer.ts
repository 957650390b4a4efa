// A process that writes through the group-commit writer as fast as it can and notes what was acknowledged.
// `node crash-writer.js <store url> <state dir> <history file>`: one line `key rev` an acknowledgement, written by it with
// a plain appending write, which outlives the process.
import { openSync, writeSync } from 'node:fs';
import { GroupCommit } from '../../src/actors/durable/group-commit.ts';
import { realClock } from '../../src/actors/runtime/time/clock.ts';
import { openStore } from '../../src/store/open-store.ts';
import { onOwnershipLost } from './records.ts';

const [url = '', stateDir = '', historyPath = '', keyCount = '500'] = process.argv.slice(2);
const keys = Number(keyCount);
const store = await openStore({ url, stateDir, onOwnershipLost });
const commit = new GroupCommit({
  store,
  clock: realClock,
  onFault: (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(3);
  },
});
const history = openSync(historyPath, 'a');
const counters = new Map<string, number>();
for await (const { key, record } of commit.scan('check'))
  counters.set(key, (record.state as { n: number }).n);

let lines: string[] = [];
const note = (key: string, n: number): void => {
  lines.push(`${key} ${n}\n`);
  if (lines.length === 1) queueMicrotask(writeNotes);
};
function writeNotes(): void {
  writeSync(history, lines.join(''));
  lines = [];
}

function write(at: number): void {
  const key = `default/host-${at % 20}/check-${at}`;
  const n = (counters.get(key) ?? 0) + 1;
  counters.set(key, n);
  const state = { n, key, output: 'x'.repeat(1_500) };
  commit.put(
    'check',
    key,
    () => ({ machine: 'check', version: 1, deadlines: [], state }),
    (outcome) => {
      if (outcome.type !== 'done') throw new Error(`not written: ${key}`);
      note(key, n);
      setImmediate(write, at);
    },
  );
}

for (let at = 0; at < keys; at += 1) write(at);
process.send?.('writing');
