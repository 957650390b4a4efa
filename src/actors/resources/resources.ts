// Resources as everybody outside the actors sees them: what is there, and how it is changed. Loading and counting bytes are the
// affair of the backend itself.
import type { ResourceTable } from './resource-table.ts';

export type Resources = Pick<
  ResourceTable,
  'get' | 'hasNamespace' | 'list' | 'count' | 'create' | 'replace' | 'put' | 'update' | 'delete' | 'watch'
>;
