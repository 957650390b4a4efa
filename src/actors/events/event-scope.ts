// Which namespaces a list of events covers: one, all, or some of them.

export interface EventScope {
  /** Empty: all namespaces, or those in `only`. */
  readonly namespace: string;
  readonly only?: ReadonlySet<string> | undefined;
}

export const isInScope = ({ namespace, only }: EventScope, name: string): boolean =>
  namespace === '' ? only === undefined || only.has(name) : name === namespace;

/** What the keys of all its events begin with. */
export const prefixOf = ({ namespace }: EventScope): string => (namespace === '' ? '' : `${namespace}/`);

/** How the reader of a list knows an event: without the namespace, where the list is of one alone. */
export const nameIn = ({ namespace }: EventScope, key: string): string =>
  namespace === '' ? key : key.slice(key.indexOf('/') + 1);
