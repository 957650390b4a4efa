// Whether the check of an event can be run again from here: its definition is set up, and an agent that would run it is
// connected.
import type { Backend } from '../../../actors/backend.ts';
import { defaultNamespace, entitySubscription } from '../../../model/resource/names.ts';
import type { RerunOf } from './event-row.ts';

type Known = {
  readonly resources: Pick<Backend['resources'], 'get'>;
  readonly sessions: Pick<Backend['sessions'], 'reaches'>;
};

interface Definition {
  readonly subscriptions?: readonly string[] | null;
  readonly proxy_entity_name?: string | null;
  readonly proxy_requests?: object | null;
}

export const createRerunOf =
  ({ resources, sessions }: Known): RerunOf =>
  ({ namespace = defaultNamespace, event: { entity, check } }) => {
    const found = resources.get('checks', namespace, check.metadata.name) as Definition | undefined;
    if (found === undefined) return 'noCheck';
    const { name } = entity.metadata;
    if (found.proxy_entity_name || found.proxy_requests) {
      // Of a check for many entities one alone can't be asked for.
      if (found.proxy_entity_name !== name) return 'noCheck';
      return sessions.reaches(namespace, found.subscriptions ?? []) ? 'proxy' : 'noAgent';
    }
    return sessions.reaches(namespace, [entitySubscription(name)]) ? 'agent' : 'noAgent';
  };
