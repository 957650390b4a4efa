// By what a list of events can be grouped, and to which group an event belongs. Pure.
import { eventLabels } from '../../model/event/event-fields.ts';
import type { EventEntry } from './event-entry.ts';
import { type EventScope, nameIn } from './event-scope.ts';

/** `label:region`: by the value of a label. */
export type Grouping = 'namespace' | 'entity' | 'check' | 'owner' | `label:${string}`;

export interface EventGroupName {
  readonly by: Grouping;
  readonly name: string;
}

const labelStart = 'label:';

/** Empty: nobody owns it, or it has no such label. Entities of a list of many namespaces are named with theirs. */
export const groupOf = (by: Grouping, scope: EventScope, { key, namespace, event }: EventEntry): string => {
  switch (by) {
    case 'namespace':
      return namespace;
    case 'entity':
      return nameIn(scope, key.slice(0, key.lastIndexOf('/')));
    case 'check':
      return event.check.metadata.name;
    case 'owner':
      return event.check.acknowledgement?.owner ?? '';
    default:
      return eventLabels(event)[by.slice(labelStart.length)] ?? '';
  }
};
