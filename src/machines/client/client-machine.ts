// The client machine: one client of the earlier generation, as the registry knows it.
//   keepalive
//     unknown    its first keepalive or result
//     healthy    the next keepalive, until the first threshold
//     warning    the next keepalive, or the critical threshold; told again every 30 s
//     critical   the next keepalive; told again every 30 s
//     proxy      nothing: it never sends keepalives, or does not want them watched
//     barred     the end of the bar: it was deleted so that it does not come back at once
//   signature
//     unsigned   a keepalive that is signed
//     signed     nothing: only deleting the client takes a signature back
//     barred     the end of the bar
//
// Road of an event: keepalives and results of clients come here first; what is accepted goes on as an event of the
// pipeline. Effects come in this order: persist, deadline, mirror, announce, publish.

import { assign, emit, setup } from 'xstate';
import { isObject } from '../../model/schema/is-object.ts';
import { type RestoreRule, restore } from '../restore-rule.ts';
import type { ClientContext, ClientEffect, ClientFact, ClientRecord } from './client-facts.ts';
import { firstDeadline, inTimeOf, isWatched, judgeClient, nextJudgement } from './client-keepalive-rule.ts';
import { judgeSignature } from './client-signature-rule.ts';

interface ClientInput {
  readonly name: string;
}

/** Grows when the stored shape of `{value, context}` changes. */
export const clientVersion = 1;

const none: Partial<ClientContext> = {};

const recordOf = ({ record, name }: ClientContext): ClientRecord => {
  if (record === null) throw new Error(`client machine: ${name} has no record`);
  return record;
};

const accepts = (context: ClientContext, event: ClientFact): boolean => {
  if (event.type === 'keepalive.received')
    return judgeSignature(context, event.signature, 'keepalive').accept;
  return event.type !== 'result.received' || judgeSignature(context, event.signature, 'result').accept;
};

const announcesRecord = (event: ClientFact): event is ClientFact & { readonly record: ClientRecord } =>
  event.type === 'keepalive.received' || event.type === 'client.declared';

const judgementOf = (context: ClientContext, { type, nowMs }: ClientFact) => {
  const { lastHeardMs } = type === 'deadline.reached' ? inTimeOf(context, nowMs) : context;
  return judgeClient(recordOf(context), lastHeardMs ?? nowMs, nowMs);
};

/** Clamps lastHeard to now after the clock was set back. */
const graced = (context: ClientContext, nowMs: number): Partial<ClientContext> => ({
  lastHeardMs: Math.min(context.lastHeardMs ?? nowMs, nowMs),
  deadlineAtMs: firstDeadline(recordOf(context), nowMs),
});

const machine = setup({
  types: {
    context: {} as ClientContext,
    events: {} as ClientFact,
    emitted: {} as ClientEffect,
    input: {} as ClientInput,
  },
  guards: {
    isForged: ({ context, event }) => !accepts(context, event),
    isWatched: ({ event }) => announcesRecord(event) && isWatched(event.record),
    startsSigning: ({ context, event }) => {
      if (event.type !== 'keepalive.received') return false;
      const verdict = judgeSignature(context, event.signature, 'keepalive');
      return verdict.accept && verdict.adopt;
    },
    isHeard: ({ context }) => context.lastHeardMs !== null,
    isBlind: ({ event }) => event.type === 'deadline.reached' && event.blind,
    isBarring: ({ event }) => event.type === 'client.deleted' && event.barredUntilMs !== null,
    isWarning: ({ context, event }) => judgementOf(context, event).level === 'warning',
    isCritical: ({ context, event }) => judgementOf(context, event).level === 'critical',
  },
  actions: {
    hear: assign(({ event }) => {
      if (event.type !== 'keepalive.received') return none;
      const { record, nowMs, via } = event;
      const deadlineAtMs = isWatched(record) ? firstDeadline(record, nowMs) : null;
      return { record, lastHeardMs: nowMs, deadlineAtMs, via };
    }),
    adoptSignature: assign(({ event }) =>
      event.type === 'keepalive.received' ? { signature: event.signature } : none,
    ),
    declare: assign(({ context, event }) => {
      if (event.type !== 'client.declared') return none;
      const { record, nowMs } = event;
      return isWatched(record)
        ? { record, lastHeardMs: context.lastHeardMs ?? nowMs, deadlineAtMs: firstDeadline(record, nowMs) }
        : { record, deadlineAtMs: null };
    }),
    makeProxy: assign(({ event }) =>
      event.type === 'result.received' ? { record: event.firstRecord } : none,
    ),
    awaitJudgement: assign(({ context, event: { nowMs } }) => {
      const { lastHeardMs } = inTimeOf(context, nowMs);
      return { lastHeardMs, deadlineAtMs: nextJudgement({ ...context, lastHeardMs }, nowMs) };
    }),
    grantGrace: assign(({ context, event }) => graced(context, event.nowMs)),
    bar: assign(({ event }) =>
      event.type === 'client.deleted'
        ? { record: null, signature: '', lastHeardMs: null, deadlineAtMs: event.barredUntilMs, via: '' }
        : none,
    ),
    persist: emit({ type: 'persist' }),
    setDeadline: emit(({ context }) => {
      if (context.deadlineAtMs === null) throw new Error('client machine: waiting, but for no time');
      return { type: 'deadline.set', name: 'keepalive', atMs: context.deadlineAtMs };
    }),
    clearDeadline: emit({ type: 'deadline.clear', name: 'keepalive' }),
    mirror: emit(({ event }) => ({
      type: 'mirror',
      heardAtMs: event.type === 'keepalive.received' ? event.nowMs : null,
      isMadeUp: event.type === 'result.received',
    })),
    announce: emit(({ event }) => ({ type: 'announce', nowMs: event.nowMs })),
    publishKeepalive: emit(({ context, event }) => {
      const { lastHeardMs } = context;
      const { status, output } = judgeClient(recordOf(context), lastHeardMs ?? event.nowMs, event.nowMs);
      return { type: 'keepalive.publish', status, output, nowMs: event.nowMs };
    }),
    publishResult: emit(({ event }) => {
      if (event.type !== 'result.received') throw new Error('client machine: no result to publish');
      const { id, result, sender, nowMs } = event;
      return { type: 'result.publish', id, result, sender, nowMs };
    }),
    refuse: emit(({ event }) =>
      event.type === 'result.received'
        ? { type: 'refuse', what: 'result', payload: event.result }
        : { type: 'refuse', what: 'keepalive', payload: announcesRecord(event) ? event.record : {} },
    ),
    forget: emit({ type: 'forget' }),
  },
});

const forged = { guard: 'isForged', actions: 'refuse' } as const;
const watching = ['hear', 'persist', 'setDeadline', 'mirror'] as const;
const unwatched = ['hear', 'persist', 'clearDeadline', 'mirror'] as const;
const judged = ['awaitJudgement', 'persist', 'setDeadline', 'publishKeepalive'] as const;
const declaring = ['declare', 'persist', 'setDeadline', 'mirror'] as const;
const undeclaring = ['declare', 'persist', 'clearDeadline', 'mirror'] as const;
const patience = { guard: 'isBlind', actions: ['grantGrace', 'setDeadline'] } as const;
const resumed = { guard: 'isHeard', actions: ['grantGrace', 'setDeadline'] } as const;
const taken = [forged, { actions: 'publishResult' }] as const;
const toWarning = { guard: 'isWarning', target: 'warning', actions: judged } as const;
const toCritical = { guard: 'isCritical', target: 'critical', actions: judged } as const;
const alive = { guard: 'isWatched', target: 'healthy', actions: [...watching, 'publishKeepalive'] } as const;
const leftAlone = { target: 'proxy', actions: unwatched } as const;
const declared = [
  { guard: 'isWatched', target: 'healthy', actions: declaring },
  { target: 'proxy', actions: undeclaring },
] as const;
const gone = { type: 'final', description: 'The client was deleted.' } as const;
const goneEverywhere = { target: ['#client.keepalive.gone', '#client.signature.gone'] } as const;
const bar = { guard: 'isBarring', actions: ['bar', 'persist', 'setDeadline'] } as const;
const barredEverywhere = { target: ['#client.keepalive.barred', '#client.signature.barred'] } as const;

export const clientMachine = machine.createMachine({
  id: 'client',
  type: 'parallel',
  description:
    'One client of the earlier generation: whether it is alive, and whether it signs what it says.',
  context: ({ input }) => ({
    name: input.name,
    record: null,
    signature: '',
    lastHeardMs: null,
    deadlineAtMs: null,
    via: '',
  }),
  meta: {
    events: {
      'keepalive.received': 'A keepalive of this client came in.',
      'result.received': 'A check result about this client came in.',
      'client.declared': 'An operator defined this client over the API.',
      'deadline.reached': 'A threshold of silence is over, or it is time to tell of it again.',
      'client.resumed': 'We could not hear the client for a while, for reasons of our own.',
      'client.deleted': 'Somebody deleted the client.',
    },
  },
  on: {
    'client.deleted': [
      { ...bar, ...barredEverywhere },
      { ...goneEverywhere, actions: ['clearDeadline', 'forget'] },
    ],
  },
  states: {
    keepalive: {
      initial: 'unknown',
      description: 'Whether the client gives signs of life.',
      states: {
        unknown: {
          description: 'Nobody has heard of this client yet.',
          on: {
            'keepalive.received': [
              { ...alive, actions: [...watching, 'announce', 'publishKeepalive'] },
              { ...leftAlone, actions: [...unwatched, 'announce'] },
            ],
            'result.received': {
              target: 'proxy',
              actions: ['makeProxy', 'persist', 'mirror', 'announce', 'publishResult'],
            },
            'client.declared': declared,
          },
        },
        healthy: {
          description: 'The last keepalive is younger than both thresholds.',
          on: {
            'keepalive.received': [forged, alive, leftAlone],
            'result.received': taken,
            'client.declared': declared,
            'deadline.reached': [
              patience,
              toCritical,
              toWarning,
              { actions: ['awaitJudgement', 'setDeadline'] },
            ],
            'client.resumed': resumed,
          },
        },
        warning: {
          description: 'Silent for the warning threshold.',
          on: {
            'keepalive.received': [forged, alive, leftAlone],
            'result.received': taken,
            'client.declared': declared,
            'deadline.reached': [patience, toCritical, { actions: judged }],
            'client.resumed': resumed,
          },
        },
        critical: {
          description: 'Silent for the critical threshold.',
          on: {
            'keepalive.received': [forged, alive, leftAlone],
            'result.received': taken,
            'client.declared': declared,
            'deadline.reached': [patience, { actions: judged }],
            'client.resumed': resumed,
          },
        },
        proxy: {
          description: 'Not watched: others report about it, or it asked to be left alone.',
          on: {
            'keepalive.received': [forged, alive, leftAlone],
            'result.received': taken,
            'client.declared': declared,
          },
        },
        barred: {
          description: 'Deleted, and not to come back yet: nothing it says is believed.',
          on: {
            'keepalive.received': { actions: 'refuse' },
            'result.received': { actions: 'refuse' },
            'client.declared': declared,
            'client.resumed': { actions: 'setDeadline' },
            'deadline.reached': { ...goneEverywhere, actions: 'forget' },
          },
        },
        gone,
      },
    },
    signature: {
      initial: 'unsigned',
      description: 'Whether this client signs its keepalives and results.',
      states: {
        unsigned: {
          description: 'It never signed anything; the first signed keepalive is believed.',
          on: {
            'keepalive.received': { guard: 'startsSigning', target: 'signed', actions: 'adoptSignature' },
          },
        },
        signed: { description: 'What does not carry its signature is dropped.' },
        barred: {
          description: 'Deleted, and not to come back yet: no signature is believed.',
          on: { 'client.declared': 'unsigned' },
        },
        gone,
      },
    },
  },
});

const isTime = (value: unknown): boolean => value === null || typeof value === 'number';

const contextFault = (context: Readonly<Record<string, unknown>>): string | undefined => {
  const { name, record, signature, lastHeardMs, deadlineAtMs, via } = context;
  if (typeof name !== 'string' || typeof via !== 'string') return 'context names no client';
  // A barred client has none, and waits for the end of the bar.
  if (!isObject(record) && !(record === null && typeof deadlineAtMs === 'number'))
    return 'context.record is not a map';
  if (typeof signature !== 'string') return 'context.signature is not a string';
  return isTime(lastHeardMs) && isTime(deadlineAtMs) ? undefined : 'context holds a bad time';
};

const rule: RestoreRule = { version: clientVersion, migrate: {}, contextFault };

/** A stored `{value, context}` as a live snapshot. Throws a RestoreError that says why it cannot be one. */
export const restoreClient = (state: unknown, version: number) =>
  restore(clientMachine, rule, state, version);
