// What people do to incidents and bulk jobs, wherever those live.
import { randomUUID } from 'node:crypto';
import { MonError } from '../../model/errors.ts';
import type { EventAddress, Incidents } from '../events/incidents.ts';
import type { JobView, NewJob } from '../families/job/jobs.ts';
import type { BackendReach } from './backend-reach.ts';

/** The promises are those of `Incidents`. */
export type IncidentsAnywhere = Pick<Incidents, 'acknowledge' | 'release' | 'note'>;

const homeOfEvent = ({ namespace, entity }: Pick<EventAddress, 'namespace' | 'entity'>) => ({
  namespace,
  name: entity,
});

export const incidentsAnywhere = (reach: BackendReach): IncidentsAnywhere => ({
  acknowledge: (address, by, request) =>
    reach.at('incident.acknowledge', homeOfEvent(address), { address, by, request }),
  release: (address) => reach.at('incident.release', homeOfEvent(address), address),
  note: (address, by, text) => reach.at('incident.note', homeOfEvent(address), { address, by, text }),
});

export interface JobsAnywhere {
  /** Resolves once the job is durable. Rejects with `invalid` or `tooManyRequests`. */
  submit(namespace: string, job: NewJob): Promise<JobView>;
  get(namespace: string, id: string): Promise<JobView | undefined>;
  /** Of a namespace, the last one first. Rejects with `unavailable` if a backend does not answer. */
  list(namespace: string): Promise<readonly JobView[]>;
  /** Resolves once no further step begins. Rejects with `notFound`, or with `conflict` when it ended already. */
  cancel(namespace: string, id: string, by: string): Promise<void>;
}

export const jobsAnywhere = (reach: BackendReach): JobsAnywhere => ({
  submit(namespace, job) {
    const id = randomUUID();
    return reach.at('job.submit', { namespace, name: id }, { namespace, id, job });
  },
  get: (namespace, id) => reach.at('job.read', { namespace, name: id }, { namespace, name: id }),
  async list(namespace) {
    const { answers, missing } = await reach.all('job.list', { namespace });
    const [silent] = missing;
    if (silent !== undefined)
      throw new MonError('unavailable', `the jobs of backend ${silent.backend} are not known: ${silent.why}`);
    return [...answers.values()].flat().sort((a, b) => b.createdAtMs - a.createdAtMs);
  },
  cancel: (namespace, id, by) => reach.at('job.cancel', { namespace, name: id }, { namespace, name: id, by }),
});
