// Resources as records: under which key, and in which form. Some kinds are sealed, and API keys are stored under a hash.
import type { RecordBody } from './committer.ts';
import {
  deepFreeze,
  parseStoreKey,
  type Resource,
  type ResourceCodec,
  type ResourceId,
  storeKey,
} from './resource.ts';

const recordVersion = 1;

export type ResourceCodecs = Readonly<Record<string, ResourceCodec>>;

interface Decoded {
  readonly id: ResourceId;
  readonly resource: Resource;
  /** False: to be written again, in the form of now. */
  readonly isCurrent: boolean;
}

export class StoredForm {
  readonly #codecs: ResourceCodecs;
  /** The names of resources that are stored under another one, by store key. */
  readonly #names = new Map<string, string>();

  constructor(codecs: ResourceCodecs = {}) {
    this.#codecs = codecs;
  }

  keyOf({ segment, namespace, name }: ResourceId): string {
    return storeKey(segment, namespace, this.#codecs[segment]?.storedName(name) ?? name);
  }

  /** Of a record that was decoded before. */
  idOf(key: string): ResourceId {
    const id = parseStoreKey(key);
    return { ...id, name: this.#names.get(key) ?? id.name };
  }

  body({ segment, name }: ResourceId, resource: Resource): RecordBody {
    return {
      machine: `resource.${segment}`,
      version: recordVersion,
      deadlines: [],
      state: this.#codecs[segment]?.encode(resource, name) ?? resource,
    };
  }

  /** Throws if the record can't be read; a VaultError where a key is missing. */
  decode(key: string, state: unknown): Decoded {
    const { segment, namespace, name } = parseStoreKey(key);
    const codec = this.#codecs[segment];
    const found = codec?.decode(state, name) ?? { name, resource: state as Resource };
    return {
      id: { segment, namespace, name: found.name },
      resource: deepFreeze(found.resource),
      isCurrent: codec?.isCurrent?.(state) !== false,
    };
  }

  remember(id: ResourceId): void {
    const key = this.keyOf(id);
    if (parseStoreKey(key).name !== id.name) this.#names.set(key, id.name);
  }

  forget(id: ResourceId): void {
    this.#names.delete(this.keyOf(id));
  }
}
