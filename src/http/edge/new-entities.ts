// Limits the number of entities a session creates by naming them in its events. An agent normally reports for a few
// devices; without a limit, one agent could exhaust the entity limit or the memory.
import { type Event, writtenEntity } from '../../model/event/event.ts';
import type { BackendPort } from '../backend-port.ts';
import type { AgentIdentity } from './frame-reader.ts';

export class NewEntities {
  readonly #backend: Pick<BackendPort, 'knowsEntity'>;
  readonly #identity: Pick<AgentIdentity, 'namespace' | 'agentName'>;
  readonly #max: number;
  /** Created with the first entity; most sessions create none. */
  #names: Set<string> | undefined;

  constructor(
    backend: Pick<BackendPort, 'knowsEntity'>,
    identity: Pick<AgentIdentity, 'namespace' | 'agentName'>,
    max: number,
  ) {
    this.#backend = backend;
    this.#identity = identity;
    this.#max = max;
  }

  /** Why an event is rejected, or null. */
  refusal(event: Event): string | null {
    const { namespace, agentName } = this.#identity;
    const name = writtenEntity(event);
    if (name === agentName || this.#max === 0 || this.#backend.knowsEntity(namespace, name)) return null;
    this.#names ??= new Set();
    if (this.#names.has(name)) return null;
    if (this.#names.size >= this.#max)
      return `entity ${name} is not created: this session has created ${this.#max} entities, the maximum; create it through the API, or raise --max-new-entities-per-session`;
    this.#names.add(name);
    return null;
  }
}
