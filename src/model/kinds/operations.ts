// The operations that most kinds offer.
import type { Operation } from '../resource/resource-kind.ts';

export const namespacedAll: readonly Operation[] = [
  'list',
  'listAll',
  'create',
  'get',
  'put',
  'patch',
  'delete',
];
export const clusterAll: readonly Operation[] = ['list', 'create', 'get', 'put', 'patch', 'delete'];
