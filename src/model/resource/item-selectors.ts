// What a list was asked for with `fieldSelector` and `labelSelector`, as data that can travel, and as a test of items.
import { type Selector, selects } from './selectors.ts';

/** All requirements must be met. */
export interface ItemSelectors {
  readonly fields: Selector;
  readonly labels: Selector;
}

/** What selectors can read from an item of a kind. */
export interface Selectable<T> {
  field(item: T, name: string): string | undefined;
  labels(item: T): Readonly<Record<string, string>>;
}

/** A test of items. With `selectors` it can be asked of other backends, too. */
export type ItemTest<T> = ((item: T) => boolean) & { readonly selectors?: ItemSelectors };

export const itemTest = <T>(selectors: ItemSelectors, kind: Selectable<T>): ItemTest<T> => {
  const { fields, labels } = selectors;
  const test = (item: T): boolean =>
    (fields.length === 0 || selects(fields, (name) => kind.field(item, name))) &&
    (labels.length === 0 || selects(labels, kind.labels(item)));
  return Object.assign(test, { selectors });
};

/** What of a test travels. Throws for one that cannot. */
export const travelling = <T>(test: ItemTest<T> | undefined): ItemSelectors | undefined => {
  if (test !== undefined && test.selectors === undefined)
    throw new Error('a filter without selectors cannot be asked of other backends');
  return test?.selectors;
};
