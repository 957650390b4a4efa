// How an event is named on the page and in the addresses of it: by its entity and its check.

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface NamedEvent {
  readonly entity: Named;
  readonly check: Named;
}

export type KeyOf = (event: NamedEvent) => string;

export const keyOf: KeyOf = ({ entity, check }) => `${entity.metadata.name}/${check.metadata.name}`;

/** In lists of all namespaces. */
export const keyInAll: KeyOf = (event) => `${event.entity.metadata.namespace}/${keyOf(event)}`;

/** How the rows of a list are named; empty: of all namespaces. */
export const keysIn = (namespace: string): KeyOf => (namespace === '' ? keyInAll : keyOf);

export const namespaceOf = ({ entity }: NamedEvent): string => entity.metadata.namespace ?? 'default';
