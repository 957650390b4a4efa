// check execute --wait: the results of the agents that were asked, as they come.
import type { ApiClient, Json } from '../client/api-client.ts';
import { followEvents, readLiveList } from '../client/live-events.ts';
import { CtlError, SaidError } from '../failure.ts';
import { kindOfPath, listPath } from '../kinds/addresses.ts';
import { defaultExecutionWaitMs } from '../limits.ts';
import { growingTable } from '../output/table.ts';
import { at, shown } from '../output/values.ts';
import type { Session } from '../session.ts';
import { readTimeout } from '../settings/settings.ts';

const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** Names of the agents whose results are waited for; undefined: the first result ends it. */
const agentsAsked = async (
  session: Session,
  api: ApiClient,
  check: Json,
  subscriptions: readonly string[],
): Promise<ReadonlySet<string> | undefined> => {
  if (check.proxy_requests || check.proxy_entity_name || check.round_robin === true) return undefined;
  const entities = await api.list(listPath(kindOfPath('entities'), session.settings.namespace));
  return new Set(
    entities
      .filter(
        (entity) =>
          entity.entity_class === 'agent' &&
          strings(entity.subscriptions).some((subscription) => subscriptions.includes(subscription)),
      )
      .map((entity) => shown(at(entity, 'metadata.name'))),
  );
};

export interface Awaited {
  /** Where the list of events stood before the check was executed. */
  readonly cursor: string;
  readonly expected: ReadonlySet<string> | undefined;
}

export const beforeExecution = async (
  session: Session,
  check: Json,
  subscriptions: readonly string[],
): Promise<Awaited> => {
  const api = await session.api();
  const expected = await agentsAsked(session, api, check, subscriptions);
  if (expected?.size === 0)
    throw new CtlError(
      `no agent has one of the subscriptions ${subscriptions.join(', ')}: nobody would run it`,
    );
  const query = { check: shown(at(check, 'metadata.name')), order: 'name' };
  return { cursor: (await readLiveList(api, session.settings.namespace, query)).cursor, expected };
};

/** Throws when a result is not 0, or when one is missing at the end. `issued` is in seconds. */
export const awaitResults = async (
  session: Session,
  name: string,
  issued: number,
  { cursor, expected }: Awaited,
): Promise<void> => {
  const word = session.given['wait-timeout'];
  const waitMs = typeof word === 'string' ? readTimeout(word, '--wait-timeout') : defaultExecutionWaitMs;
  const end = AbortSignal.timeout(waitMs);
  const waiting = expected === undefined ? undefined : new Set(expected);
  const show = growingTable(['Entity', 'Status', 'Duration', 'Output'], [], session.look, session.print);
  let worst = 0;
  let seen = 0;
  for await (const change of followEvents(
    await session.api(),
    session.settings.namespace,
    { check: name },
    cursor,
    end,
  )) {
    if (change.type !== 'row' || Number(at(change.row, 'check.issued')) < issued) continue;
    const entity = shown(at(change.row, 'entity.metadata.name'));
    if (waiting !== undefined && !waiting.delete(entity)) continue;
    const status = Number(at(change.row, 'check.status'));
    const took = Number(at(change.row, 'check.executed')) - issued;
    show([entity, String(status), `${took} s`, shown(at(change.row, 'check.output'))]);
    worst = Math.max(worst, status);
    seen += 1;
    if (waiting === undefined || waiting.size === 0) break;
  }
  if (seen === 0 || (waiting?.size ?? 0) > 0) {
    const whom = waiting === undefined ? 'any agent' : [...waiting].join(', ');
    throw new CtlError(`no result from ${whom} within ${waitMs / 1000} s`);
  }
  if (worst > 0) throw new SaidError();
};
