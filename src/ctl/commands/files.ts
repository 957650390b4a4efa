// create, apply and delete of what files describe. All of them are read before the first is sent: a mistake in one changes nothing.

import { managedByCtlLabels } from '../../model/entity/reserved-labels.ts';
import { placeholder } from '../../model/resource/concealment.ts';
import type { Reply } from '../client/http-request.ts';
import { strict, warningsOf } from '../client/warnings.ts';
import type { Work } from '../command.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { kindAddresses } from '../kinds/addresses.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import type { Described } from '../sources/documents.ts';
import { readResources } from '../sources/read-resources.ts';

/** Requests under way at once: the backend commits what comes together as one group. */
const concurrency = 32;

/** Kinds one after the other, in the order given: what is referred to is there first. Stops at the first failure. */
const inOrder = async (
  resources: readonly Described[],
  order: readonly (typeof kindAddresses)[number][],
  work: (resource: Described) => Promise<void>,
): Promise<void> => {
  for (const kind of order) {
    const waiting = resources.filter((resource) => resource.kind === kind);
    const failures: { readonly index: number; readonly error: unknown }[] = [];
    const worker = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined && failures.length === 0; next = waiting.shift()) {
        const { index } = next;
        await work(next).catch((error: unknown) => failures.push({ index, error }));
      }
    };
    // A resource that stands twice is written in the order of the files.
    const once = new Set(waiting.map(({ path }) => path)).size === waiting.length;
    await Promise.all(Array.from({ length: once ? concurrency : 1 }, worker));
    const [first] = failures.sort((one, other) => one.index - other.index);
    if (first !== undefined) throw first.error;
  }
};

const withReason = (resource: Described, error: unknown): unknown => {
  if (!(error instanceof CtlError)) return error;
  const { index, name, namespace, where, path } = resource;
  return new CtlError(
    `error putting resource #${index} with name "${name}" and namespace "${namespace}" (${path}; ${where}): ${error.message}`,
  );
};

/** Keys are made by the server, and dumps hold no passwords: said at the end, when everything else was written. */
const cannotBePut = ({ kind, body }: Described): string | undefined => {
  if (kind.path === 'apikeys')
    return 'API keys can not be written from a file; grant a new one with "mon-ctl api-key grant"';
  if (kind.path === 'users' && !body.password && !body.password_hash)
    return 'a user needs a password or a password_hash; create it with "mon-ctl user create"';
  return undefined;
};

/** A provider of a dump: its secrets are masked. A backend that has the provider keeps them, another one refuses the mask. */
const hasMaskedSecrets = ({ kind, body }: Described): boolean =>
  (kind.path === 'authproviders' || kind.path === 'providers') &&
  JSON.stringify(body).includes(`"${placeholder}"`);

const secretsAreMissing = `its secrets are ${placeholder} in the file, and the backend has none to keep; write them into the file and run this again`;

class SecretsMissing extends CtlError {}

const put = async (session: Session, resource: Described): Promise<Reply> => {
  const headers = session.given['allow-unknown-fields'] === 'true' ? {} : strict;
  try {
    return await (await session.api()).ask('PUT', resource.path, { body: resource.body, headers });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 400 && hasMaskedSecrets(resource))
      throw new SecretsMissing(`${secretsAreMissing} (${error.message})`);
    if (error instanceof RefusedError && /\bunknown (field|name) /.test(error.message))
      session.note(
        '--allow-unknown-fields takes resources without the fields that the backend does not know',
      );
    throw withReason(resource, error);
  }
};

const putAll = async (session: Session, one: (resource: Described) => Promise<void>): Promise<void> => {
  const resources = await readResources(session);
  const left = new Map<Described, string>();
  for (const resource of resources) {
    const reason = cannotBePut(resource);
    if (reason !== undefined) left.set(resource, reason);
  }
  const writable = resources.filter((resource) => !left.has(resource));
  await inOrder(writable, kindAddresses, async (resource) => {
    await one(resource).catch((error: unknown) => {
      if (!(error instanceof SecretsMissing)) throw error;
      left.set(resource, error.message);
    });
  });
  for (const [{ where, kind, name }, reason] of left)
    session.note(`${where}: ${kind.type} "${name}" was left out: ${reason}`);
  if (left.size > 0)
    throw new CtlError(
      `${left.size} of ${resources.length} resources were left out, all others were written`,
    );
};

export const createFromFiles: Work = (session) =>
  putAll(session, async (resource) => {
    const reply = await put(session, resource);
    for (const warning of warningsOf(reply)) session.note(`resource ${resource.index}: warning: ${warning}`);
  });

/** Marks what apply wrote: `prune` deletes nothing else. */
const managed = (resource: Described): Described => {
  const { metadata } = resource.body as { readonly metadata?: { readonly labels?: object } };
  // Entities and events come from agents too, and are not pruned.
  const isPrunable = resource.kind.path !== 'entities' && resource.kind.path !== 'events';
  if (metadata === undefined || !isPrunable) return resource;
  const labels = { ...managedByCtlLabels, ...metadata.labels };
  return { ...resource, body: { ...resource.body, metadata: { ...metadata, labels } } };
};

/** Checked here, and compared with what the backend has; nothing is sent to it but questions. */
const tryApply = async (session: Session): Promise<void> => {
  const { differenceOf, refuseInvalid } = await import('./diff.ts');
  const resources = (await readResources(session)).map(managed);
  refuseInvalid(resources);
  const api = await session.api();
  for (const resource of resources) {
    const { became } = await differenceOf(session, api, resource);
    const isLeft =
      cannotBePut(resource) !== undefined || (became === 'created' && hasMaskedSecrets(resource));
    session.print(
      `${resource.kind.type} ${resource.name} would be ${isLeft ? 'left out' : became === 'changed' ? 'configured' : became}`,
    );
  }
  session.note(
    'nothing was written; schemas and rules were checked here, rights and references only the backend checks',
  );
};

/** Like create, and says what became of each. */
export const applyFiles: Work = async (session) => {
  if (session.given['dry-run'] === 'true') return tryApply(session);
  return putAll(session, async (unmarked) => {
    const resource = managed(unmarked);
    const before = await (await session.api()).send('GET', resource.path);
    const reply = await put(session, resource);
    for (const warning of warningsOf(reply)) session.note(`resource ${resource.index}: warning: ${warning}`);
    const same = before.headers.etag !== undefined && before.headers.etag === reply.headers.etag;
    const became = before.status === 404 ? 'created' : same ? 'unchanged' : 'configured';
    session.print(`${resource.kind.type} ${resource.name} ${became}`);
  });
};

export const deleteFromFiles: Work = async (session) => {
  const resources = await readResources(session);
  if (
    session.canAsk &&
    !(await confirm(session, `Are you sure you would like to delete ${resources.length} resources?`))
  )
    return session.print('Canceled');
  await inOrder(resources, [...kindAddresses].reverse(), async (resource) => {
    try {
      await (await session.api()).ask('DELETE', resource.path);
    } catch (error) {
      const message = (error as Error).message;
      throw error instanceof RefusedError
        ? new RefusedError(
            `error deleting resource ${resource.index} (${resource.path}): ${message}`,
            error.status,
            error.code,
          )
        : error;
    }
  });
};
