// What the resource table speaks in: resources, their ids, changes and pages.

/** A resource as data. What is in the table is frozen: change a copy and put it. */
export type Resource = Readonly<Record<string, unknown>>;

export interface ResourceId {
  /** The path segment of its kind, e.g. `checks`. */
  readonly segment: string;
  /** Empty for cluster-wide kinds. */
  readonly namespace: string;
  readonly name: string;
}

export type ResourceChange = ResourceId &
  (
    | { readonly type: 'put'; readonly resource: Resource; readonly previous: Resource | undefined }
    | { readonly type: 'deleted'; readonly previous: Resource }
  );

/** How a kind is kept at rest, where that differs from what readers see (API keys and providers are sealed). */
export interface ResourceCodec {
  storedName(name: string): string;
  encode(resource: Resource, name: string): unknown;
  /** `name` is the one it is stored under. Throws VaultError where a key is missing. */
  decode(state: unknown, name: string): { readonly name: string; readonly resource: Resource };
  /** False: the record is to be written again, in the form of now. */
  isCurrent?(state: unknown): boolean;
}

export interface ListQuery {
  readonly namespace?: string;
  /** The `next` of the page before. */
  readonly after?: string;
  readonly limit?: number;
  readonly filter?: (resource: Resource) => boolean;
}

export interface ResourcePage {
  readonly items: readonly Resource[];
  /** Present when more matching resources follow. */
  readonly next?: string;
}

/** `checks/default/cpu`: a kind, and a namespace in it, are ranges of keys. */
export const storeKey = (segment: string, namespace: string, name: string): string =>
  `${segment}/${namespace}/${name}`;

/** Throws for what is no key of ours. An asset's name may hold slashes: all after the second one is the name. */
export const parseStoreKey = (key: string): ResourceId => {
  const first = key.indexOf('/');
  const second = key.indexOf('/', first + 1);
  if (first < 1 || second < 0) throw new Error(`not a resource key: ${key}`);
  return {
    segment: key.slice(0, first),
    namespace: key.slice(first + 1, second),
    name: key.slice(second + 1),
  };
};

export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
};
