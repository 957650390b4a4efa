// Processes bodies of writes: completes them from the URI, decodes and validates them by kind.
import type { Resource } from '../actors/resources/resource-table.ts';
import { MonError } from '../model/errors.ts';
import type { ResourceKind } from '../model/resource/resource-kind.ts';
import { lowerWrapperKeys } from '../model/resource/wrapped.ts';
import { type JsonObject, objectBody } from './body.ts';
import type { Call } from './route.ts';

const mergePatchType = 'application/merge-patch+json';

/** Throws MonError `invalid` for anything but a merge patch. */
export const checkPatchType = (contentType: string | undefined): void => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || type === '' || type === mergePatchType) return;
  const allowed = `Allowed values: ${mergePatchType}`;
  if (type === 'application/json-patch+json')
    throw new MonError('invalid', `JSON Patch is not supported yet. ${allowed}`);
  throw new MonError('invalid', `invalid Content-Type header: ${contentType}.  ${allowed}`);
};

const metadataIn = (body: JsonObject): JsonObject => {
  const { metadata } = body;
  if (metadata === undefined || metadata === null) {
    const fresh: JsonObject = {};
    body.metadata = fresh;
    return fresh;
  }
  if (typeof metadata !== 'object' || Array.isArray(metadata))
    throw new MonError('invalid', 'metadata must be an object');
  return metadata as JsonObject;
};

const isUnset = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Bodies of providers must state their type (interface, sections 2.4 and 4.2). */
const requireWrapper = (kind: ResourceKind, body: JsonObject, metadata: JsonObject): void => {
  if (isUnset(body.api_version))
    throw new MonError('invalid', `api_version is required: "${kind.apiVersion}"`);
  if (isUnset(metadata.name)) throw new MonError('invalid', 'metadata.name is required');
};

/** Fills in missing identity fields from the URI and rejects contradictions. */
export const placeBody = (kind: ResourceKind, body: JsonObject, namespace: string, name?: string): void => {
  // Namespaces and users have their name at the top level.
  const top = kind.path === 'namespaces' ? 'name' : kind.path === 'users' ? 'username' : null;
  if (top !== null) {
    if (name !== undefined && isUnset(body[top])) body[top] = name;
    return;
  }
  const metadata = metadataIn(body);
  if (kind.wrapped && !kind.namespaced) requireWrapper(kind, body, metadata);
  if (kind.namespaced && isUnset(metadata.namespace)) metadata.namespace = namespace;
  if (kind.namespaced && metadata.namespace !== namespace)
    throw new MonError(
      'invalid',
      `the namespace of the resource (${String(metadata.namespace)}) does not match the namespace of the URI (${namespace})`,
    );
  if (name !== undefined && isUnset(metadata.name)) metadata.name = name;
};

/** The four keys of wrapped bodies are case-insensitive. */
export const bodyFor = (kind: ResourceKind, call: Call): JsonObject =>
  objectBody(kind.wrapped ? lowerWrapperKeys(call.body) : call.body);

export const checkName = (kind: ResourceKind, resource: Resource, wanted: string): void => {
  const name = kind.name(resource);
  if (name === wanted) return;
  throw new MonError(
    'invalid',
    kind.path === 'users'
      ? `the username (${name}) does not match the username on the request (${wanted})`
      : `the name of the resource (${name}) does not match the name of the URI (${wanted})`,
  );
};

/** Adds the author. Kinds without metadata have none. */
export const withAuthor = (resource: Resource, username: string): Resource =>
  resource.metadata === undefined
    ? resource
    : { ...resource, metadata: { ...(resource.metadata as object), created_by: username } };

/** Validates types, then rules; the first failure is reported. */
export const decodeResource = (kind: ResourceKind, raw: unknown): Resource => {
  const decoded = kind.decode(raw);
  if (!decoded.ok) throw new MonError('invalid', decoded.message);
  return decoded.value;
};

export const validateResource = (kind: ResourceKind, resource: Resource): void => {
  const fault = kind.validate(resource);
  if (fault !== null) throw new MonError('invalid', `resource is invalid: ${fault}`);
};
