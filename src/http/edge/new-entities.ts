// Entities one session brings into being by naming them in its events. An agent speaks for a handful of devices; one that
// names new ones without end would use up the entity limit, or the memory, of all others.
import { type Event, writtenEntity } from '../../model/event.ts';
import type { BackendPort } from '../backend-port.ts';
import type { AgentIdentity } from './frame-reader.ts';

export class NewEntities {
  readonly #backend: Pick<BackendPort, 'knowsEntity'>;
  readonly #identity: Pick<AgentIdentity, 'namespace' | 'agentName'>;
  readonly #max: number;
  /** Made with the first of them; most sessions bring none. */
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

  /** Why an event can't be taken, or null. */
  refusal(event: Event): string | null {
    const { namespace, agentName } = this.#identity;
    const name = writtenEntity(event);
    if (name === agentName || this.#max === 0 || this.#backend.knowsEntity(namespace, name)) return null;
    this.#names ??= new Set();
    if (this.#names.has(name)) return null;
    if (this.#names.size >= this.#max)
      return `entity ${name} is not added: this session has brought ${this.#max} entities into being, the most it may; create it through the API, or raise --max-new-entities-per-session`;
    this.#names.add(name);
    return null;
  }
}
