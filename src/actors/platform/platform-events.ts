// Events of the platform about itself: those of the entity that stands for this backend, of class `backend`, in a
// namespace of their own. They take the path of every event, so handlers are called for them as well.
import { randomUUID } from 'node:crypto';
import { checkSchema } from '../../model/check/check.ts';
import { blankEntity, type Entity, withOwnSubscription } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { reportReceipt } from '../outcomes/receipts.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import { seedNamespace } from '../resources/seed.ts';
import type { Receipt } from '../runtime/contract.ts';
import type { StoppedCheck } from './watchdog.ts';

export const platformNamespace = 'mon-system';
export const watchdogCheckName = 'watchdog';

export interface PlatformPorts {
  /** Name of this backend. */
  readonly name: string;
  readonly table: ResourceTable;
  readonly nowMs: () => number;
  /** Takes the event and its entity in, wherever that lives. */
  readonly accept: (event: CheckEvent, receipt: Receipt) => void;
  readonly onFault: (error: Error) => void;
}

export interface Finding {
  readonly check: string;
  readonly status: number;
  readonly output: string;
}

export const watchdogFinding = (stopped: readonly StoppedCheck[]): Finding => ({
  check: watchdogCheckName,
  status: stopped.length === 0 ? 0 : 2,
  output:
    stopped.length === 0
      ? 'every check runs when it is due'
      : stopped
          .map(
            ({ namespace, check, dueMs }) =>
              `${namespace}/${check} was due at ${new Date(dueMs).toISOString()} and did not run`,
          )
          .join('\n'),
});

/** Reports what was found out about this backend. A handler called `watchdog` in `mon-system` is called. */
export const createPlatformReporter = (ports: PlatformPorts): ((finding: Finding) => Promise<void>) => {
  const entity = backendEntity(ports.name);
  return async (finding) => {
    const { table } = ports;
    if (!table.hasNamespace(platformNamespace)) {
      await table.put(
        { segment: 'namespaces', namespace: '', name: platformNamespace },
        { name: platformNamespace },
      );
      await seedNamespace(table, platformNamespace);
    }
    ports.accept(platformEvent(entity, finding, ports.nowMs()), reportReceipt(ports.onFault));
  };
};

const backendEntity = (name: string): Entity =>
  withOwnSubscription(blankEntity(platformNamespace, name, 'backend'));

const platformEvent = (entity: Entity, { check, status, output }: Finding, nowMs: number): CheckEvent => {
  const nowSeconds = Math.floor(nowMs / 1000);
  return {
    timestamp: nowSeconds,
    entity,
    check: checkSchema.parse({
      metadata: { name: check, namespace: platformNamespace },
      handlers: [check],
      status,
      output,
      executed: nowSeconds,
      issued: nowSeconds,
    }),
    metadata: { namespace: platformNamespace },
    id: randomUUID(),
    sequence: 0,
    pipelines: [],
  };
};
