// What is asked of every backend: each answers for what lives there, and the one that asked puts the answers together.
import type { Jobs } from '../families/job/jobs.ts';

export interface SharePorts {
  readonly jobs: () => Jobs;
}

export const shareMethods = (ports: SharePorts) => ({
  'job.list': async ({ namespace }: { readonly namespace: string }) => ports.jobs().list(namespace),
});

export type ShareMethods = ReturnType<typeof shareMethods>;
