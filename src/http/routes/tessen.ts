// The setting by which sites of the reference product say whether they report figures about themselves to its makers. Its
// command line reads and writes it, for instance in a dump. It is kept and given back; nothing is ever sent anywhere.
import { z } from 'zod';
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { decode } from '../../model/decode.ts';
import { MonError } from '../../model/errors.ts';
import { isWrapped, readWrapped } from '../../model/wrapped.ts';
import { objectBody } from '../body.ts';
import { type AccessRule, type GuardedRoute, ok } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';

const url = '/api/core/v2/tessen';
const id = { segment: 'tessen', namespace: '', name: 'tessen' } as const;
/** Only a rule on everything reaches it. */
const access = (verb: 'get' | 'update'): AccessRule => ({ resource: null, verb });
const schema = z.object({ opt_out: z.boolean().default(false) });
const shape = json(schema, { opt_out: true });
const docOf = (summary: string): RouteDoc => ({
  tag: 'operations',
  summary,
  answers: { 200: { what: 'the setting', shape } },
});

/** Files hold the wrapped form. */
const unwrapped = (body: object): unknown => {
  if (!isWrapped(body)) return body;
  const wrapped = readWrapped(body);
  if (!wrapped.ok) throw new MonError('invalid', wrapped.message);
  return wrapped.value.spec;
};

export const tessenRoutes = (table: Resources): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url,
    access: access('get'),
    doc: docOf(
      'Read whether a site of the reference product reports figures; nothing is ever sent from here',
    ),
    handle: () => ok(table.get(id.segment, id.namespace, id.name) ?? { opt_out: true }),
  },
  {
    method: 'PUT',
    url,
    access: access('update'),
    doc: { ...docOf('Keep that setting; nothing is ever sent from here'), body: { shape } },
    handle: async (call) => {
      const decoded = decode(schema, unwrapped(objectBody(call.body)), 'tessen');
      if (!decoded.ok) throw new MonError('invalid', decoded.message);
      await table.put(id, decoded.value as Resource);
      return ok(decoded.value);
    },
  },
];
