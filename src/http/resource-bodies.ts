// Bodies of writes: placed under their address, decoded by their kind, held to its rules.
import type { Resource } from '../actors/resources/resource-table.ts';
import { MonError } from '../model/errors.ts';
import type { ResourceKind } from '../model/resource-kind.ts';
import { lowerWrapperKeys } from '../model/wrapped.ts';
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

/** Providers say by themselves what they are (interface, sections 2.4 and 4.2). */
const requireWrapper = (kind: ResourceKind, body: JsonObject, metadata: JsonObject): void => {
  if (isUnset(body.api_version))
    throw new MonError('invalid', `api_version is required: "${kind.apiVersion}"`);
  if (isUnset(metadata.name)) throw new MonError('invalid', 'metadata.name is required');
};

/** Places a body under its address: what is left out is taken from there, what contradicts it is refused. */
export const placeBody = (kind: ResourceKind, body: JsonObject, namespace: string, name?: string): void => {
  // Namespaces and users carry their name at the top.
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

/** Wrapped bodies spell their four keys in any letter case. */
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

/** With who wrote it. Kinds without metadata do not say. */
export const withAuthor = (resource: Resource, username: string): Resource =>
  resource.metadata === undefined
    ? resource
    : { ...resource, metadata: { ...(resource.metadata as object), created_by: username } };

/** Types, then rules; the first that fails is told. */
export const decodeResource = (kind: ResourceKind, raw: unknown): Resource => {
  const decoded = kind.decode(raw);
  if (!decoded.ok) throw new MonError('invalid', decoded.message);
  return decoded.value;
};

export const validateResource = (kind: ResourceKind, resource: Resource): void => {
  const fault = kind.validate(resource);
  if (fault !== null) throw new MonError('invalid', `resource is invalid: ${fault}`);
};
