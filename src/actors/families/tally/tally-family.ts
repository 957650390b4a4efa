// The family `tally`: one actor for each thing that is counted.
import {
  restoreTally,
  type TallyContext,
  type TallyEffect,
  type TallyFact,
  tallyMachine,
  tallyVersion,
} from '../../../machines/tally/tally-machine.ts';
import { defineFamily } from '../kit/family.ts';
import { maxSilenceMail } from '../kit/limits.ts';

interface TallyIdentity {
  readonly name: string;
}

const prefix = 'tally/';

export const tallyFamily = defineFamily<TallyIdentity, TallyContext, TallyFact, TallyEffect, undefined>({
  id: 'tally',
  title: 'how often one thing happened',
  machine: tallyMachine,
  mailbox: { capacity: maxSilenceMail, overflow: 'refuse' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'tallies' } },
  durable: {
    kind: 'system',
    prefix,
    version: tallyVersion,
    restore: restoreTally,
    identityOf: (key) => ({ name: key.slice(prefix.length) }),
  },
  ports: 'none',
  deadlines: {},
  key: ({ name }) => `${prefix}${name}`,
  input: () => undefined,
  perform() {},
});
