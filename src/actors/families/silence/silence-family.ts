// The family `silence`: one actor for each silence. Its times are in the resource table, so it keeps no record of its own.
import type { SilenceContext, SilenceEffect, SilenceFact } from '../../../machines/silence/silence-facts.ts';
import { type SilenceInput, silenceMachine } from '../../../machines/silence/silence-machine.ts';
import { defineFamily } from '../kit/family.ts';
import { maxSilenceMail } from '../kit/limits.ts';

export type SilenceIdentity = SilenceInput;

export interface SilencePorts {
  /** What the resource table says of it now. */
  readonly definition: (identity: SilenceIdentity) => SilenceFact;
  /** Other events may be covered than before: it holds from now on, or pauses until its next window. */
  readonly changed: (identity: SilenceIdentity) => void;
  /** Its time is over: it has to be deleted. */
  readonly over: (identity: SilenceIdentity) => void;
}

export const silenceFamily = defineFamily<
  SilenceIdentity,
  SilenceContext,
  SilenceFact,
  SilenceEffect,
  SilencePorts
>({
  id: 'silence',
  title: 'the time in which one silence holds',
  machine: silenceMachine,
  mailbox: { capacity: maxSilenceMail, overflow: 'coalesce' },
  supervise: { restart: 'transient', place: { type: 'group', id: 'silences' } },
  deadlines: { silence: { waitsFor: 'wall' } },
  key: ({ namespace, name }) => `${namespace}/${name}`,
  input: ({ namespace, name }) => ({ namespace, name }),
  first: ({ identity, ports }) => ports.definition(identity),
  perform(effect, _, { identity, ports }) {
    if (effect.type !== 'silence.ended') ports.changed(identity);
    // A resolved silence is deleted by the sender of the fact, which waits until that is durable.
    else if (effect.why === 'timeOver') ports.over(identity);
  },
});
