// Sessions of agents, with the tree their entities live in and a log for what cannot be handed to them.
import type { EntityFact } from '../../machines/entity/entity-facts.ts';
import { type EntityTree, entityId } from '../families/entity/entity-tree.ts';
import { sessionFamily } from '../families/session/session-family.ts';
import { Sessions } from '../families/session/sessions.ts';
import type { Withheld } from '../problems/withheld.ts';
import type { Dependencies } from './dependencies.ts';

export const composeSessions = (
  { runtime, families, log }: Dependencies,
  tree: EntityTree,
  withheld: Pick<Withheld, 'untrusted'>,
): Sessions =>
  new Sessions({
    nowMs: () => runtime.clock.wallMs(),
    storedEntity: (namespace, name) => tree.entity(namespace, name),
    isVouched: (namespace, name) => tree.isVouched(namespace, name),
    actors: families.bind(sessionFamily, {
      stopped: (namespace, agentName) => {
        if (tree.context(namespace, agentName) === undefined) return;
        const fact: EntityFact = { type: 'agent.stopped', nowMs: runtime.clock.wallMs() };
        runtime.registry.tell(entityId(namespace, agentName), fact);
      },
    }),
    onUndeliverable: ({ connection: { namespace, agentName } }, frame) =>
      log.warn({ namespace, agent: agentName, frame }, 'a message could not be handed to the agent'),
    onUntrusted: ({ connection: { namespace, agentName } }, check) => {
      if (!withheld.untrusted(namespace, check, agentName)) return;
      log.warn(
        { namespace, agent: agentName, check },
        'secrets will not be transmitted to agents without mutual TLS authentication (mTLS)',
      );
    },
  });
