// Where entities and their checks stand: one supervisor an entity, spread over the partitions of `entities`.
//
//   entities -> entities/17 -> tree:default/web-01 -> entity:default/web-01
//                                                  -> check:default/web-01/cpu
import { entityPartitions } from './limits.ts';
import type { Place } from './place.ts';

export const entitiesPlace = <TIdentity>(
  subject: (identity: TIdentity) => string,
): Extract<Place<TIdentity>, { readonly type: 'partitioned' }> => ({
  type: 'partitioned',
  id: 'entities',
  partitions: entityPartitions,
  subject,
});
