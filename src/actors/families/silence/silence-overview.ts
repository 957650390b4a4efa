// What the silences of a namespace do now, and which ended: what people ask before they lift one, or look for one that is gone.
import type { CheckEvent } from '../../../model/event/event.ts';
import type { Silenced } from '../../../model/silence/silenced.ts';
import { coveredBy, phaseAt, spanOf } from '../../../model/silence/silencing.ts';
import type { EventIndex } from '../../events/event-index.ts';
import { walkInTurns } from '../../events/walk-in-turns.ts';
import type { Resources } from '../../resources/resources.ts';
import type { EndedSilence, SilenceBook, SilenceFigures } from './silence-book.ts';

export interface SilenceStanding extends SilenceFigures {
  readonly silence: Silenced;
  /** `pending`: it begins later, or waits for its next window. */
  readonly phase: 'pending' | 'active';
  /** Events that it covers now; of a pending one those that it would cover. */
  readonly covers: number;
}

export interface SilenceOverview {
  readonly silences: readonly SilenceStanding[];
  /** The last one first. */
  readonly ended: readonly EndedSilence[];
}

export interface SilenceOverviewPorts {
  readonly table: Pick<Resources, 'list'>;
  readonly index: Pick<EventIndex, 'named' | 'settled'>;
  readonly book: Pick<SilenceBook, 'figures' | 'ended'>;
  readonly nowMs: () => number;
}

/** Tells of the silences of a namespace. */
export const silenceOverview = async (
  namespace: string,
  { table, index, book, nowMs }: SilenceOverviewPorts,
): Promise<SilenceOverview> => {
  await index.settled({ namespace });
  const entries = table.list('silenced', { namespace }).items as unknown as readonly Silenced[];
  const known = entries.flatMap((silence) => {
    const phase = phaseAt(spanOf(silence), nowMs());
    return phase === 'over' ? [] : [{ silence, phase }];
  });
  const pending = known.filter(({ phase }) => phase === 'pending').map(({ silence }) => silence);
  const counts = new Map<string, number>();
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  await walkInTurns(
    (place) => index.named(`${namespace}/`, place?.key),
    ({ event, silenced }) => {
      for (const name of silenced) count(name);
      for (const { metadata } of coveredBy(event, pending)) count(metadata.name);
      return 'more';
    },
  );
  return {
    silences: known.map(({ silence, phase }) => ({
      silence,
      phase,
      covers: counts.get(silence.metadata.name) ?? 0,
      ...book.figures(namespace, silence.metadata.name),
    })),
    ended: book.ended(namespace),
  };
};

/** Whether a silence covers any event that there is, whenever it holds. */
export const coversAny = async (
  namespace: string,
  silence: Silenced,
  index: Pick<EventIndex, 'named'>,
): Promise<boolean> => {
  let isFound = false;
  await walkInTurns(
    (place) => index.named(`${namespace}/`, place?.key),
    ({ event }: { readonly event: CheckEvent }) => {
      isFound = coveredBy(event, [silence]).length > 0;
      return isFound ? 'enough' : 'more';
    },
  );
  return isFound;
};
