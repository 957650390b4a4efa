// Services: what a backend consists of once it is put together.
import type { Secrets } from '../../secrets/secrets.ts';
import type { StoredRecord } from '../../store/snapshot-store.ts';
import type { EventIndex } from '../events/event-index.ts';
import type { ReadModel } from '../events/read-model.ts';
import type { Clients } from '../families/client/clients.ts';
import type { EntityGate } from '../families/entity/entity-bounds.ts';
import type { EntityTree } from '../families/entity/entity-tree.ts';
import type { HeldEvents } from '../families/entity/held-events.ts';
import type { RegisteredEntities } from '../families/entity/registered-entities.ts';
import type { Sessions } from '../families/session/sessions.ts';
import type { Silences } from '../families/silence/silences.ts';
import type { Ingest } from '../ingest.ts';
import type { Announcements } from '../pipelines/announcements.ts';
import type { CheckDeliveries } from '../pipelines/check-deliveries.ts';
import type { Pipelines } from '../pipelines/pipelines.ts';
import type { Configuration } from '../resources/configuration.ts';
import type { Pressure } from '../runtime/load/pressure.ts';
import type { Supervisor } from '../runtime/supervision/supervisor.ts';
import type { Problems } from './compose-problems.ts';
import type { Scheduling } from './compose-scheduling.ts';

export interface Services extends Scheduling {
  readonly root: Supervisor;
  readonly tree: EntityTree;
  readonly ingest: Ingest;
  readonly reader: ReadModel;
  /** The events, in the orders that lists come in. */
  readonly events: EventIndex;
  readonly held: HeldEvents;
  readonly gate: EntityGate;
  /** Tells those who keep track of events what a record of a check holds. */
  readonly learn: (key: string, record: StoredRecord | undefined) => void;
  readonly pipelines: Pipelines;
  readonly checkDeliveries: CheckDeliveries;
  readonly announcements: Announcements;
  readonly configuration: Configuration;
  readonly sessions: Sessions;
  readonly silences: Silences;
  readonly clients: Clients;
  readonly secrets: Secrets;
  readonly pressure: Pressure;
  readonly registered: RegisteredEntities;
  readonly problems: Problems;
}
