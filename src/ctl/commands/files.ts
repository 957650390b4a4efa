// create, apply and delete of what files describe. All of them are read before the first is sent: a mistake in one changes nothing.
import type { Reply } from '../client/http-request.ts';
import { warningsOf } from '../client/warnings.ts';
import type { Work } from '../command.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { kindAddresses } from '../kinds/addresses.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { type Described, readDocuments } from '../sources/documents.ts';
import { readSources } from '../sources/read-sources.ts';

/** Requests under way at once. */
const concurrency = 8;

const readAll = async (session: Session): Promise<Described[]> => {
  const resources = await readDocuments(await readSources(session), session.settings.namespace);
  if (resources.length === 0) throw new CtlError('there is no resource in what was given');
  return resources;
};

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

const put = async (
  session: Session,
  resource: Described,
  headers: Record<string, string> = {},
): Promise<Reply> => {
  try {
    return await (await session.api()).ask('PUT', resource.path, { body: resource.body, headers });
  } catch (error) {
    throw withReason(resource, error);
  }
};

const putAll = async (session: Session, one: (resource: Described) => Promise<void>): Promise<void> => {
  const resources = await readAll(session);
  const left = resources.filter((resource) => cannotBePut(resource) !== undefined);
  await inOrder(
    resources.filter((resource) => !left.includes(resource)),
    kindAddresses,
    one,
  );
  for (const resource of left)
    session.note(
      `${resource.where}: ${resource.kind.type} "${resource.name}" was left out: ${cannotBePut(resource)}`,
    );
  if (left.length > 0)
    throw new CtlError(
      `${left.length} of ${resources.length} resources were left out, all others were written`,
    );
};

export const createFromFiles: Work = (session) =>
  putAll(session, async (resource) => {
    const reply = await put(session, resource);
    for (const warning of warningsOf(reply)) session.note(`resource ${resource.index}: warning: ${warning}`);
  });

/** Like create, and says what became of each. */
export const applyFiles: Work = (session) =>
  putAll(session, async (resource) => {
    const before = await (await session.api()).send('GET', resource.path);
    const reply = await put(session, resource);
    for (const warning of warningsOf(reply)) session.note(`resource ${resource.index}: warning: ${warning}`);
    const same = before.headers.etag !== undefined && before.headers.etag === reply.headers.etag;
    const became = before.status === 404 ? 'created' : same ? 'unchanged' : 'configured';
    session.print(`${resource.kind.type} ${resource.name} ${became}`);
  });

export const deleteFromFiles: Work = async (session) => {
  const resources = await readAll(session);
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
