// Records of clients: what the registry keeps of a keepalive, what it makes up for a client that never sent one, and what
// it says when a client comes or goes.
import { sentResultProblem } from '../../model/earlier/check-rules.ts';
import { keepaliveRows } from '../../model/earlier/client-rules.ts';
import { isMap, mergeMaps } from '../../model/earlier/json.ts';
import { judge } from '../../model/earlier/rule-table.ts';
import { substitute, unmatchedOutput } from '../../model/earlier/tokens.ts';
import {
  defaultClientCriticalSeconds,
  defaultClientWarningSeconds,
  maxClientSubscriptionCharacters,
  maxClientSubscriptions,
} from '../limits.ts';
import type { ClientRecord, ClientResult } from './client-facts.ts';

const ownSubscription = (name: string): string => `client:${name}`;

/** Names of clients and checks become parts of keys and paths. */
const namePattern = /^[\w.-]{1,255}$/;

export const isClientName = (value: unknown): value is string =>
  typeof value === 'string' && namePattern.test(value) && value !== '.' && value !== '..';

export type KeepaliveReading =
  | { readonly ok: true; readonly name: string; readonly record: ClientRecord }
  | { readonly ok: false; readonly why: string };

/** The reference product crashes over a keepalive without subscriptions; here it is refused with a reason. */
export const readKeepalive = (message: unknown): KeepaliveReading => {
  if (!isMap(message)) return { ok: false, why: 'a keepalive must be a map' };
  const { name, subscriptions } = message;
  if (!isClientName(name))
    return { ok: false, why: 'client name cannot contain spaces or special characters' };
  if (!Array.isArray(subscriptions)) return { ok: false, why: 'client subscriptions must be an array' };
  if (subscriptions.length > maxClientSubscriptions)
    return { ok: false, why: `a client may have at most ${maxClientSubscriptions} subscriptions` };
  if (subscriptions.some((item) => typeof item === 'string' && item.length > maxClientSubscriptionCharacters))
    return {
      ok: false,
      why: `a client subscription may have at most ${maxClientSubscriptionCharacters} characters`,
    };
  const [tooMany] = judge(message, keepaliveRows);
  if (tooMany !== undefined) return { ok: false, why: tooMany };
  const all = [
    ...new Set([...subscriptions.filter((item) => typeof item === 'string'), ownSubscription(name)]),
  ];
  return { ok: true, name, record: { ...message, subscriptions: all } };
};

export type ResultReading =
  | {
      readonly ok: true;
      readonly sender: string;
      /** The client the result is about: the sender, or the `source` it names. */
      readonly target: string;
      readonly isProxy: boolean;
      readonly result: ClientResult;
      readonly signature: string;
    }
  | { readonly ok: false; readonly why: string };

export const readResult = (message: unknown): ResultReading => {
  if (!isMap(message)) return { ok: false, why: 'a result must be a map' };
  const { client, check, signature } = message;
  if (!isClientName(client))
    return { ok: false, why: 'client name cannot contain spaces or special characters' };
  if (!isMap(check)) return { ok: false, why: 'check must be a hash' };
  if (!isClientName(check['name']))
    return { ok: false, why: 'check name cannot contain spaces or special characters' };
  const problem = sentResultProblem(check);
  if (problem !== undefined) return { ok: false, why: problem };
  const { source } = check;
  const isProxy = typeof source === 'string' && source !== '';
  if (isProxy && !isClientName(source))
    return { ok: false, why: 'check source cannot contain spaces, special characters, or invalid tokens' };
  return {
    ok: true,
    sender: client,
    target: isProxy ? source : client,
    isProxy,
    result: check,
    signature: typeof signature === 'string' ? signature : '',
  };
};

/** A client that came to be because somebody reported about it. It is never watched. */
export const proxyRecord = (
  name: string,
  isProxy: boolean,
  version: string,
  nowMs: number,
): ClientRecord => ({
  name,
  address: 'unknown',
  subscriptions: [ownSubscription(name)],
  keepalives: false,
  version,
  timestamp: Math.floor(nowMs / 1000),
  ...(isProxy ? { type: 'proxy' } : {}),
});

/** The check of a registration: told to handlers, never stored. */
export const registrationResult = (record: ClientRecord, nowMs: number): ClientResult => {
  const seconds = Math.floor(nowMs / 1000);
  const { registration } = record;
  return {
    ...mergeMaps({ handler: 'registration', status: 1 }, isMap(registration) ? registration : {}),
    name: 'registration',
    output: 'new client registration',
    issued: seconds,
    executed: seconds,
  };
};

/** What the registry says of the signs of life of a client. */
export interface KeepaliveVerdict {
  readonly status: number;
  readonly output: string;
  readonly nowMs: number;
}

/**
 * The check `keepalive` of a client: whatever its owner put into `keepalive`, tokens filled in from the client, and the
 * verdict. `handler` is who is told unless the owner says otherwise. A token nobody can fill is said in the output, and is a warning at least.
 */
export const keepaliveResult = (
  record: ClientRecord,
  { status, output, nowMs }: KeepaliveVerdict,
  handler: string | undefined,
): ClientResult => {
  const seconds = Math.floor(nowMs / 1000);
  const { keepalive } = record;
  const thresholds = { warning: defaultClientWarningSeconds, critical: defaultClientCriticalSeconds };
  const merged = mergeMaps(
    { thresholds, ...(handler === undefined ? {} : { handler }) },
    isMap(keepalive) ? keepalive : {},
  );
  const { value, unmatched } = substitute(merged, record);
  return {
    ...(value as ClientResult),
    name: 'keepalive',
    status: unmatched.length > 0 ? Math.max(status, 1) : status,
    output: unmatched.length > 0 ? `${output} - ${unmatchedOutput(unmatched)}` : output,
    issued: seconds,
    executed: seconds,
  };
};
