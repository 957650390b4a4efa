// The list of events of a running backend: how long the first rows take, worst first, when few or many do not pass; what a
// word or a selector costs; and, in this process, what the index itself takes of memory and of each commit.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { EventIndex } from '../../src/actors/events/event-index.ts';
import type { CheckEvent } from '../../src/model/event/event.ts';
import { eventOf } from '../actors/events/event-of.ts';
import { cpuTimeUs } from './cpu-time.ts';

/** Resolves with the body of a GET that was answered with 200. */
export type Read = (path: string) => Promise<string>;

const list = '/api/inspect/v1/namespaces/default/events';
const tries = 15;

const questions: Readonly<Record<string, string>> = {
  'first rows, needs attention': 'state=failing&silenced=false',
  'first rows, everything': '',
  'first rows, newest first': 'order=newest',
  'of one check': 'check=check-07',
  'a word in entity, check, output': 'search=check+4999',
  'a field selector': `fieldSelector=${encodeURIComponent("event.check.status == '2' && 'a' notin event.check.handlers")}`,
};

/** Of `tries` requests one after the other; the first one is told apart, since nothing is compiled then. */
export const benchEventList = async (read: Read): Promise<void> => {
  for (const [title, query] of Object.entries(questions)) {
    const tookMs: number[] = [];
    let found = '';
    for (let turn = 0; turn < tries; turn += 1) {
      const begunMs = performance.now();
      found = await read(`${list}?${query}`);
      tookMs.push(performance.now() - begunMs);
    }
    const first = tookMs[0] ?? 0;
    tookMs.sort((a, b) => a - b);
    const { items, total } = JSON.parse(found) as { items: unknown[]; total: number };
    console.log(
      `  ${title.padEnd(32)} first ${first.toFixed(0).padStart(4)} ms  p50 ${(tookMs[tries >> 1] ?? 0).toFixed(1).padStart(6)} ms` +
        `   ${items.length} of ${total} events, ${(found.length / 1_024).toFixed(0)} KiB`,
    );
  }
};

const events = 50_000;

/** The events are there anyway, with their actors: the index adds what stands between the two looks at the heap. */
export const benchEventIndex = (): void => {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const all: readonly (readonly [string, CheckEvent])[] = Array.from({ length: events }, (_, at) => {
    const entity = `host-${Math.floor(at / 50)}`;
    const check = `check-${at % 50}`;
    return [`default/${entity}/${check}`, eventOf(entity, check, at % 10 === 0 ? 2 : 0, at)];
  });
  const before = heap();
  const index = new EventIndex({ nowMs: () => Date.now(), silencesMatching: () => [], onFault: () => {} });
  for (const [key, event] of all) index.learn(key, event);
  const bytes = (heap() - before) / index.size;
  const rounds = 20;
  const again = all.map(([key, event]): [string, CheckEvent] => [key, { ...event }]);
  const startedUs = cpuTimeUs(process.pid).main;
  for (let round = 0; round < rounds; round += 1)
    for (const [key, event] of round % 2 === 0 ? again : all) index.learn(key, event);
  const us = (cpuTimeUs(process.pid).main - startedUs) / rounds / events;
  console.log(
    `  the index of ${index.size} events takes ${bytes.toFixed(0)} bytes an event beside the event, ` +
      `and ${us.toFixed(2)} us a commit that changes no severity`,
  );
};
