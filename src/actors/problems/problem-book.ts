// The problem book: what can't work as it stands, kept for every resource. Worked out when a resource is written, and again
// when something it names appears or goes; nobody rescans the table to ask. Expressions are tried on a sample event once for
// each definition. Unknown fields of the last write are kept in the store, since the resource itself does not hold them.
import { metadataTargets } from '../../model/check/dependencies.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { judgedSegments, type Problem, problemsOf } from '../../model/resource/problems.ts';
import type { Resource, ResourceChange, ResourceId, ResourceTable } from '../resources/resource-table.ts';

/** Where the unknown fields of the last write of a resource are kept, by its key. */
const unknownSegment = 'unknown-fields';

export interface FoundProblems {
  readonly id: ResourceId;
  readonly problems: readonly Problem[];
}

export interface ProblemBookPorts {
  readonly table: ResourceTable;
  /** Tries the expressions of a definition on a sample; the sentences of those that fail. */
  readonly tryExpressions: (segment: string, resource: Resource) => Promise<readonly Problem[]>;
  /** What depends on who is connected now, and is asked again each time. */
  readonly momentary: (id: ResourceId, resource: Resource) => readonly Problem[];
  readonly onFault: (error: unknown) => void;
}

const entitySegment = 'entities';
const nothingTried: Promise<readonly Problem[]> = Promise.resolve([]);

const namesSomething = ({ keepalive_handlers: names, deregistration, metadata }: Entity): boolean =>
  (names !== undefined && names !== null && names.length > 0) ||
  Boolean(deregistration.handler) ||
  metadataTargets(metadata).length > 0;

/** Whether an entity names the same handlers and dependencies as before: it is committed with every keepalive. */
const isSameChoice = (
  before: Resource | undefined,
  { keepalive_handlers: names, deregistration, metadata }: Entity,
): boolean => {
  const { keepalive_handlers: known, deregistration: ending } = (before ?? {}) as Partial<Entity>;
  if (before === undefined || ending?.handler !== deregistration.handler) return false;
  const targets = metadataTargets((before.metadata ?? {}) as Entity['metadata']);
  if (targets.join() !== metadataTargets(metadata).join()) return false;
  return known === names || String(known ?? '') === String(names ?? '');
};

interface Entry {
  readonly id: ResourceId;
  readonly resource: Resource;
  readonly problems: readonly Problem[];
  /** Keys of what it names, there or not. */
  readonly names: ReadonlySet<string>;
  readonly tried: Promise<readonly Problem[]>;
  failures: readonly Problem[];
}

const keyOf = ({ segment, namespace, name }: ResourceId): string => `${segment}/${namespace}/${name}`;

export class ProblemBook {
  readonly #ports: ProblemBookPorts;
  readonly #entries = new Map<string, Entry>();
  /** By the key of what is named: who names it. */
  readonly #namedBy = new Map<string, Set<string>>();
  #version = 0;

  constructor(ports: ProblemBookPorts) {
    this.#ports = ports;
    const { table } = ports;
    for (const segment of [...judgedSegments, 'providers'])
      table.watch(segment, (change) => this.#learn(change));
  }

  /** Grows whenever something changed that lasts. */
  get version(): number {
    return this.#version;
  }

  /** Judges everything there is. Call once, after the table is loaded. */
  start(): void {
    for (const segment of judgedSegments)
      for (const resource of this.#ports.table.list(segment).items)
        this.#judge(idOf(segment, resource), resource);
    for (const { id, resource } of [...this.#entries.values()])
      if (id.segment === entitySegment) this.#judge(id, resource);
  }

  /** An entity as committed, or undefined for one that is gone. Entities are no resources of the table, and most name nobody. */
  noteEntity(namespace: string, name: string, entity: Entity | undefined): void {
    const id = { segment: entitySegment, namespace, name };
    const known = this.#entries.get(keyOf(id));
    if (entity === undefined || !namesSomething(entity)) {
      if (known !== undefined) this.#forget(id);
    } else if (!isSameChoice(known?.resource, entity)) this.#judge(id, entity as unknown as Resource);
  }

  /** The problems of one resource, once its expressions were tried. */
  async of(id: ResourceId): Promise<readonly Problem[]> {
    const entry = this.#entries.get(keyOf(id));
    if (entry === undefined) return [];
    await entry.tried;
    return this.#problems(entry);
  }

  /** Every resource that has problems, as far as is known by now, in order of kind, namespace and name. */
  all(namespace?: string): readonly FoundProblems[] {
    const found: FoundProblems[] = [];
    for (const entry of this.#entries.values()) {
      if (namespace !== undefined && entry.id.namespace !== namespace) continue;
      const problems = this.#problems(entry);
      if (problems.length > 0) found.push({ id: entry.id, problems });
    }
    return found.sort((a, b) => (keyOf(a.id) < keyOf(b.id) ? -1 : 1));
  }

  /** Keeps the unknown fields of a write, or forgets those of the write before. */
  async noteUnknownFields(id: ResourceId, messages: readonly string[]): Promise<void> {
    const { table } = this.#ports;
    const place = { segment: unknownSegment, namespace: '', name: keyOf(id) };
    if (messages.length > 0) await table.put(place, { messages });
    else if (table.get(unknownSegment, '', keyOf(id)) !== undefined) await table.delete(place);
    else return;
    this.#version += 1;
  }

  #problems({ id, resource, problems, failures }: Entry): readonly Problem[] {
    const noted = this.#ports.table.get(unknownSegment, '', keyOf(id));
    const unknown = ((noted?.messages ?? []) as readonly string[]).map(
      (message): Problem => ({ why: 'unknownField', field: '', message }),
    );
    return [...unknown, ...problems, ...failures, ...this.#ports.momentary(id, resource)];
  }

  #learn(change: ResourceChange): void {
    const id = { segment: change.segment, namespace: change.namespace, name: change.name };
    const key = keyOf(id);
    if (change.type === 'put') this.#judge(id, change.resource);
    else this.#forget(id);
    const existed = change.previous !== undefined;
    if (existed === (change.type === 'put')) return;
    for (const dependent of [...(this.#namedBy.get(key) ?? [])]) {
      const entry = this.#entries.get(dependent);
      if (entry !== undefined) this.#judge(entry.id, entry.resource);
    }
  }

  #judge(id: ResourceId, resource: Resource): void {
    const { table, tryExpressions, onFault } = this.#ports;
    const isEntity = id.segment === entitySegment;
    if (!isEntity && !(judgedSegments as readonly string[]).includes(id.segment)) return;
    const key = keyOf(id);
    const names = new Set<string>();
    const problems = problemsOf(id.segment, id.namespace, resource, (segment, namespace, name) => {
      names.add(keyOf({ segment, namespace, name }));
      return table.get(segment, namespace, name) !== undefined;
    });
    const known = this.#entries.get(key);
    this.#unlink(known);
    const hasExpressions = known?.resource !== resource && !isEntity;
    const tried = hasExpressions ? tryExpressions(id.segment, resource) : (known?.tried ?? nothingTried);
    const failures = known?.resource === resource ? known.failures : [];
    const entry: Entry = { id, resource, problems, names, tried, failures };
    this.#entries.set(key, entry);
    for (const name of names) this.#namedBy.set(name, (this.#namedBy.get(name) ?? new Set()).add(key));
    this.#version += 1;
    if (known?.tried === tried) return;
    tried.then((found) => {
      const now = this.#entries.get(key);
      if (now?.tried !== tried || found.length === 0) return;
      now.failures = found;
      this.#version += 1;
    }, onFault);
  }

  #forget(id: ResourceId): void {
    const known = this.#entries.get(keyOf(id));
    this.#unlink(known);
    this.#entries.delete(keyOf(id));
    this.#version += 1;
    this.noteUnknownFields(id, []).catch(this.#ports.onFault);
  }

  #unlink(entry: Entry | undefined): void {
    if (entry === undefined) return;
    for (const name of entry.names) {
      const dependents = this.#namedBy.get(name);
      dependents?.delete(keyOf(entry.id));
      if (dependents?.size === 0) this.#namedBy.delete(name);
    }
  }
}

const idOf = (segment: string, resource: Resource): ResourceId => {
  const { name = '', namespace = '' } = (resource.metadata ?? {}) as { name?: string; namespace?: string };
  return { segment, namespace, name };
};
