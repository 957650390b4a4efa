// Names: valid resource names, and the keys that combine them for storage and lookup.
import { z } from 'zod';
import { maxNameCharacters } from '../limits.ts';

const namePattern = /^[\w.\-:]+$/;
const strictNamePattern = /^[a-z0-9_.-]+$/;
const subscriptionPattern = /^[\w.-]+(?::[\w.-]+)?$/;
const assetNamePattern = /^[\w/.\-:]+$/;

const special = 'cannot contain spaces or special characters';
const assetHint = 'may only contain letters, forward slashes, underscores, dashes and numbers';

/** The name of the check that stores agent keepalives. */
export const keepaliveCheckName = 'keepalive';
export const defaultNamespace = 'default';

const fault = (
  subject: string,
  value: string,
  pattern: RegExp,
  empty: string,
  hint: string,
): string | null => {
  if (value === '') return `${subject} ${empty}`;
  if (!pattern.test(value)) return `${subject} ${hint}`;
  if (value.length > maxNameCharacters) return `${subject} must be at most ${maxNameCharacters} characters`;
  return null;
};

/** Why a resource name (letters, digits, `_ . - :`) is invalid, or null. */
export const nameFault = (subject: string, value: string): string | null =>
  fault(subject, value, namePattern, 'must not be empty', special);

/** The same for user names: lowercase letters, digits, `_ . -`. */
export const strictNameFault = (subject: string, value: string): string | null =>
  fault(subject, value, strictNamePattern, 'must not be empty', special);

/** The same for subscriptions, roles and bindings: at most one colon, not at either end. */
export const subscriptionFault = (subject: string, value: string): string | null =>
  fault(subject, value, subscriptionPattern, 'must not be empty', special);

export const assetNameFault = (value: string): string | null =>
  fault('name', value, assetNamePattern, 'cannot be empty', assetHint);

/** `namespace must be set` if it is missing, otherwise null. */
export const namespaceFault = (namespace: string | undefined): string | null =>
  namespace === undefined || namespace === '' ? 'namespace must be set' : null;

type Fault = (subject: string, value: string) => string | null;

const named = (subject: string, faultOf: Fault) =>
  z.string({ error: `${subject} must be a string` }).superRefine((value, context) => {
    const message = faultOf(subject, value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  });

/** A resource name as a zod schema, for use outside the hot path. */
export const nameSchema = (subject: string) => named(subject, nameFault);

/** The subscription that matches exactly one entity. */
export const entitySubscription = (entityName: string): string => `entity:${entityName}`;

/** `namespace/name` */
export const entityKey = (namespace: string, entity: string): string => `${namespace}/${entity}`;

/** `namespace/entity/check`. Keys sort as paths, so an entity or a namespace is a key range. */
export const checkKey = (namespace: string, entity: string, check: string): string =>
  `${namespace}/${entity}/${check}`;
