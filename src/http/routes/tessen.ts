// The telemetry setting of the reference product. Its command line reads and writes it, e.g. in a dump. It is
// stored and returned; no data is ever sent.
import { z } from 'zod';
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { MonError } from '../../model/errors.ts';
import { isWrapped, readWrapped } from '../../model/resource/wrapped.ts';
import { decode } from '../../model/schema/decode.ts';
import { objectBody } from '../body.ts';
import { type AccessRule, type GuardedRoute, ok } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';

const url = '/api/core/v2/tessen';
const id = { segment: 'tessen', namespace: '', name: 'tessen' } as const;
/** Requires a rule on all resources. */
const access = (verb: 'get' | 'update'): AccessRule => ({ resource: null, verb });
const schema = z.object({ opt_out: z.boolean().default(false) });
const shape = json(schema, { opt_out: true });
const docOf = (summary: string): RouteDoc => ({
  tag: 'operations',
  summary,
  answers: { 200: { what: 'the setting', shape } },
});

/** Files use the wrapped form. */
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
    doc: docOf('Get the telemetry setting of the reference product; no data is ever sent'),
    handle: () => ok(table.get(id.segment, id.namespace, id.name) ?? { opt_out: true }),
  },
  {
    method: 'PUT',
    url,
    access: access('update'),
    doc: { ...docOf('Set that telemetry setting; no data is ever sent'), body: { shape } },
    handle: async (call) => {
      const decoded = decode(schema, unwrapped(objectBody(call.body)), 'tessen');
      if (!decoded.ok) throw new MonError('invalid', decoded.message);
      await table.put(id, decoded.value as Resource);
      return ok(decoded.value);
    },
  },
];
