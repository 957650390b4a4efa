// The license: one signed file for the whole cluster. Validated before it takes effect.
import type { KeyObject } from 'node:crypto';
import { licenseId } from '../../actors/resources/licensed-limit.ts';
import type { Resource } from '../../actors/resources/resource-table.ts';
import { MonError } from '../../model/errors.ts';
import {
  type License,
  licenseApiVersion,
  licenseFault,
  licenseSchema,
  licenseType,
} from '../../model/resource/license.ts';
import { isWrapped, readWrapped } from '../../model/resource/wrapped.ts';
import { decode } from '../../model/schema/decode.ts';
import type { BackendPort } from '../backend-port.ts';
import { objectBody } from '../body.ts';
import { examples } from '../openapi/examples.ts';
import { type AccessRule, created, type GuardedRoute, noContent, ok } from '../route.ts';
import { createdAnswer, json, type RouteDoc, removedAnswer } from '../route-doc.ts';

const url = '/api/enterprise/licensing/v2/license';
const access: AccessRule = { resource: licenseId.segment, name: () => licenseId.name };
const tag = 'license';
const shape = json(licenseSchema, examples.license);
const docs = {
  get: {
    tag,
    summary: 'Read the license',
    answers: { 200: { what: 'the license, wrapped, with its usage', shape } },
    refusals: [404],
  },
  put: { tag, summary: 'Install a license', body: { shape }, answers: createdAnswer },
  delete: { tag, summary: 'Remove the license', answers: removedAnswer, refusals: [404] },
} satisfies Record<string, RouteDoc>;

/** Files use the wrapped form with the license as the spec. */
const unwrapped = (body: object): unknown => {
  if (!isWrapped(body)) return body;
  const wrapped = readWrapped(body);
  if (!wrapped.ok) throw new MonError('invalid', wrapped.message);
  if (wrapped.value.type !== licenseType)
    throw new MonError('invalid', `type must be "${licenseType}" (got "${wrapped.value.type}")`);
  return wrapped.value.spec;
};

const labelsOf = (backend: BackendPort): Readonly<Record<string, string>> => {
  const { count, limit } = backend.entityAllowance();
  return { 'sensu.io/entity-count': String(count), 'sensu.io/entity-limit': String(limit) };
};

export const licenseRoutes = (
  backend: BackendPort,
  key: KeyObject | undefined,
  wallMs: () => number,
): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url,
    access,
    doc: docs.get,
    handle: () => {
      const { segment, namespace, name } = licenseId;
      const kept = backend.resources.get(segment, namespace, name) as unknown as License | undefined;
      if (kept === undefined) throw new MonError('notFound');
      return ok({
        type: licenseType,
        api_version: licenseApiVersion,
        metadata: { labels: labelsOf(backend) },
        spec: { ...kept, valid: licenseFault(kept, key, wallMs()) === null },
      });
    },
  },
  {
    method: 'PUT',
    url,
    access,
    doc: docs.put,
    handle: async (call) => {
      const decoded = decode(licenseSchema, unwrapped(objectBody(call.body)), 'license');
      if (!decoded.ok) throw new MonError('invalid', decoded.message);
      const fault = licenseFault(decoded.value, key, wallMs());
      if (fault !== null) throw new MonError('invalid', fault);
      await backend.resources.put(licenseId, decoded.value as unknown as Resource);
      return created();
    },
  },
  {
    method: 'DELETE',
    url,
    access,
    doc: docs.delete,
    handle: async () => {
      if (!(await backend.resources.delete(licenseId))) throw new MonError('notFound');
      return noContent;
    },
  },
];
