// How an event is named on the page and in the addresses of it: by its entity and its check.

interface Named {
  readonly metadata: { readonly name: string };
}

export interface NamedEvent {
  readonly entity: Named;
  readonly check: Named;
}

export const keyOf = ({ entity, check }: NamedEvent): string =>
  `${entity.metadata.name}/${check.metadata.name}`;
