// How long one result takes in the check machine as the runtime runs it: `actor.send` with a real 1.5 kB event, effects
// collected. Beside it the same while somebody watches the actor.
// Alone: node dist/test/bench/check-machine.js
import { fileURLToPath } from 'node:url';
import { type AnyActor, createActor, type EventObject } from 'xstate';
import { effectLogic, sendObserved, takeEffects } from '../../src/actors/runtime/cell/effect-logic.ts';
import type { CheckEffect, CheckFact } from '../../src/machines/check/check-facts.ts';
import { checkInput, checkMachine } from '../../src/machines/check/check-machine.ts';
import { type CheckEvent, eventSchema } from '../../src/model/event/event.ts';

const wire = (n: number, over: Record<string, unknown>): unknown => ({
  timestamp: 1_700_000_000 + n,
  id: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
  sequence: n,
  metadata: { namespace: 'default' },
  entity: {
    entity_class: 'agent',
    metadata: { name: 'web-01', namespace: 'default', labels: { region: 'eu', tier: 'front' } },
    system: {
      hostname: 'web-01',
      os: 'linux',
      platform: 'debian',
      platform_version: '12',
      arch: 'amd64',
      network: { interfaces: [{ name: 'eth0', mac: '52:54:00:20:1b:3c', addresses: ['10.0.2.15/24'] }] },
    },
    subscriptions: ['linux', 'entity:web-01'],
    last_seen: 1_700_000_000,
    mon_agent_version: '0.1.0',
  },
  check: {
    metadata: { name: 'check-cpu', namespace: 'default' },
    command: 'check-cpu -w 80 -c 90',
    interval: 60,
    publish: true,
    subscriptions: ['linux'],
    duration: 0.012,
    executed: 1_700_000_000 + n,
    issued: 1_700_000_000 + n,
    output: `CPU OK - usage=12%\n${'cpu0=12;80;90;0;100 '.repeat(35)}\n`,
    ...over,
  },
});

/** Best of many small batches: the machine may be shared. */
const batches = 60;
const rounds = 4_096;
/** Few enough to stay in the cache, as a freshly parsed event is; more than the 32 whose ids are remembered. */
const kinds = 64;

type Send = (actor: AnyActor, fact: EventObject) => void;

const sendQuietly: Send = (actor, fact) => actor.send(fact);

const run = (title: string, over: (n: number) => Record<string, unknown>, send = sendQuietly): void => {
  const facts: CheckFact[] = [];
  for (let n = 0; n < kinds; n += 1) {
    const event = eventSchema.parse(JSON.parse(JSON.stringify(wire(n, over(n))))) as CheckEvent;
    facts.push({ type: 'result.received', event, nowMs: 1_700_000_000_000 + n, silenced: [] });
  }
  const actor = createActor(effectLogic(checkMachine), {
    input: checkInput({ namespace: 'd', entity: 'e', check: 'c' }),
  });
  let effects = 0;
  let seq = 0;
  const tell = (fact: CheckFact): void => {
    send(actor, fact);
    for (const effect of takeEffects() as readonly CheckEffect[]) {
      effects += 1;
      if (effect.type === 'deliver') seq = effect.seq;
    }
  };
  actor.start();
  const times: number[] = [];
  for (let batch = 0; batch < batches; batch += 1) {
    const started = process.hrtime.bigint();
    for (let round = 0; round < rounds; round += 1) {
      const fact = facts[round % facts.length];
      if (fact !== undefined) tell(fact);
      if (seq > 0) {
        const finished = seq;
        seq = 0;
        tell({ type: 'delivery.finished', seq: finished, nowMs: 0 });
      }
    }
    times.push(Number(process.hrtime.bigint() - started) / 1000 / rounds);
  }
  times.sort((one, other) => one - other);
  const [best = 0] = times;
  const median = times[batches >> 1] ?? 0;
  const each = (effects / rounds / batches).toFixed(1);
  console.log(
    `${title.padEnd(40)} best ${best.toFixed(2)}, median ${median.toFixed(2)} us a result, ${each} effects`,
  );
  actor.stop();
};

/** Prints figures; takes about ten seconds. */
export const benchCheckMachine = (): void => {
  console.log(`event: ${JSON.stringify(wire(1, {})).length} bytes on the wire`);
  run('passing, nobody to tell', () => ({}));
  run('passing, watched', () => ({}), sendObserved);
  run('passing, ttl', () => ({ ttl: 120 }));
  run('passing, ttl, handlers, delivered', () => ({ ttl: 120, handlers: ['slack'] }));
  run('changing every time, ttl, delivered', (n) => ({ ttl: 120, handlers: ['slack'], status: n % 2 }));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) benchCheckMachine();
