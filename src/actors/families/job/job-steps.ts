// What a bulk job does to one event, in the name of who started it. Doing it again does no harm.
import { randomUUID } from 'node:crypto';
import type { JobContext } from '../../../machines/job/job-machine.ts';
import { MonError } from '../../../model/errors.ts';
import type { AcknowledgementRequest } from '../../../model/event/acknowledgement.ts';
import type { CheckEvent, Event } from '../../../model/event/event.ts';
import { entitySubscription } from '../../../model/resource/names.ts';
import { completeSilenced, silencedName, silencedSchema } from '../../../model/silence/silenced.ts';
import type { EventAddress, Incidents } from '../../events/incidents.ts';
import type { Resources } from '../../resources/resources.ts';

export type StepOutcome =
  | { readonly type: 'done' }
  | { readonly type: 'skipped' }
  | { readonly type: 'failed'; readonly why: string };

export interface AccessQuestion {
  readonly verb: 'create' | 'update' | 'delete';
  readonly resource: string;
  readonly namespace: string;
  readonly resourceName: string;
}

export interface JobStepPorts {
  readonly table: Resources;
  readonly nowMs: () => number;
  /** Why somebody may not do this, or null. */
  readonly refusal: (by: JobContext['by'], question: AccessQuestion) => string | null;
  readonly read: (address: EventAddress) => Promise<CheckEvent | undefined>;
  /** Resolves once the event is durable. */
  readonly write: (event: Event) => Promise<void>;
  readonly incidents: Pick<Incidents, 'acknowledge'>;
  readonly deleteEvent: (address: EventAddress) => Promise<boolean>;
  readonly run: (
    namespace: string,
    check: string,
    subscriptions: readonly string[],
  ) => Promise<readonly string[]>;
}

type Step = (job: JobContext, address: EventAddress, ports: JobStepPorts) => Promise<StepOutcome>;

const done: StepOutcome = { type: 'done' };
const skipped: StepOutcome = { type: 'skipped' };

const nameOf = ({ entity, check }: EventAddress): string => `${entity}/${check}`;

const nowSeconds = ({ nowMs }: JobStepPorts): number => Math.floor(nowMs() / 1000);

const resolve: Step = async ({ by }, address, ports) => {
  const event = await ports.read(address);
  if (event === undefined || event.check.status === 0) return skipped;
  const executed = nowSeconds(ports);
  const output = `Resolved manually by ${by.username}`;
  const check = { ...event.check, status: 0, output, executed, ttl: 0 };
  const metadata = { ...event.metadata, created_by: by.username };
  await ports.write({ ...event, id: randomUUID(), timestamp: executed, metadata, check });
  return done;
};

const acknowledge: Step = async ({ by, parameters }, address, { read, incidents }) => {
  const event = await read(address);
  if (event === undefined || event.check.state === 'passing') return skipped;
  await incidents.acknowledge(address, by.username, parameters as AcknowledgementRequest);
  return done;
};

const silence: Step = async ({ by, parameters }, { namespace, entity, check }, ports) => {
  const subscription = entitySubscription(entity);
  const name = silencedName(subscription, check);
  const id = { segment: 'silenced', namespace, name };
  const metadata = { name, namespace, created_by: by.username };
  const entry = silencedSchema.parse({ ...parameters, metadata, subscription, check });
  const whole = completeSilenced(entry, { creator: by.username, nowSeconds: nowSeconds(ports) });
  try {
    await ports.table.create(id, whole as never);
    return done;
  } catch (error) {
    if (error instanceof MonError && error.kind === 'alreadyExists') return skipped;
    throw error;
  }
};

const rerun: Step = async (_, { namespace, entity, check }, { table, run }) => {
  const config = table.get('checks', namespace, check);
  if (config === undefined) return { type: 'failed', why: `no check ${check} is set up` };
  const isOwn = config['proxy_entity_name'] === entity;
  const [warning] = await run(namespace, check, isOwn ? [] : [entitySubscription(entity)]);
  return warning === undefined ? done : { type: 'failed', why: warning };
};

const remove: Step = async (_, address, { deleteEvent }) => ((await deleteEvent(address)) ? done : skipped);

const steps: Readonly<
  Record<
    JobContext['action'],
    { readonly ask: (address: EventAddress) => AccessQuestion; readonly step: Step }
  >
> = {
  resolve: { ask: (address) => question('update', 'events', address, nameOf(address)), step: resolve },
  acknowledge: {
    ask: (address) => question('update', 'events', address, nameOf(address)),
    step: acknowledge,
  },
  silence: { ask: (address) => question('create', 'silenced', address, ''), step: silence },
  rerun: { ask: (address) => question('create', 'checks', address, address.check), step: rerun },
  delete: { ask: (address) => question('delete', 'events', address, nameOf(address)), step: remove },
};

const question = (
  verb: AccessQuestion['verb'],
  resource: string,
  { namespace }: EventAddress,
  resourceName: string,
): AccessQuestion => ({ verb, resource, namespace, resourceName });

const isTemporary = (error: unknown): boolean => error instanceof MonError && error.retry;

/** Does one event of a job. Rejects when it may work later: the store is away, or the backend has too much to do. */
export const doOne = async (job: JobContext, name: string, ports: JobStepPorts): Promise<StepOutcome> => {
  const slash = name.indexOf('/');
  const address = { namespace: job.namespace, entity: name.slice(0, slash), check: name.slice(slash + 1) };
  const { ask, step } = steps[job.action];
  const refusal = ports.refusal(job.by, ask(address));
  if (refusal !== null) return { type: 'failed', why: refusal };
  try {
    return await step(job, address, ports);
  } catch (error) {
    if (isTemporary(error)) throw error;
    return { type: 'failed', why: error instanceof Error ? error.message : String(error) };
  }
};
