// Questions for lists as they travel from backend to backend, and the keys that order the answers.
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { type ItemSelectors, travelling } from '../../model/resource/item-selectors.ts';
import type { EventFilter } from '../events/event-search.ts';

/** A filter as it travels. */
export type SentFilter<T extends EventFilter> = Omit<T, 'only' | 'selector'> & {
  readonly only: readonly string[] | undefined;
  readonly selectors: ItemSelectors | undefined;
};

/** A question for one page of a list in the order of keys. */
export interface SentQuery {
  readonly namespace: string | undefined;
  readonly entity?: string | undefined;
  readonly selectors: ItemSelectors | undefined;
  readonly after: string | undefined;
  readonly limit: number;
}

export const eventKeyOf = ({ entity, check }: CheckEvent): string =>
  `${entity.metadata.namespace ?? ''}/${entity.metadata.name}/${check.metadata.name}`;
export const entityKeyOf = ({ metadata }: Entity): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** A filter as it travels. Throws for one with a test that cannot. */
export const sent = <T extends EventFilter>({ only, selector, ...filter }: T): SentFilter<T> => ({
  ...filter,
  only: only === undefined ? undefined : [...only],
  selectors: travelling(selector),
});
