// actor: looks at the actors of the backend while they run, over the inspection API (docs/inspection.md).
import { draftEvent } from '../../machines/draft-event.ts';
import type { ApiClient, Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { itemsAt } from '../kinds/cells.ts';
import { streamRetryMs } from '../limits.ts';
import { asJson } from '../output/documents.ts';
import { details, growingTable, table } from '../output/table.ts';
import { at, shown } from '../output/values.ts';
import type { Session } from '../session.ts';
import { pageSizeOf } from './resources.ts';
import { untilInterrupted } from './watch-events.ts';

const root = '/api/inspect/v1';
const actorPath = (id: string): string => `${root}/actors/${encodeURIComponent(id)}`;

/** `{"a":"x","b":{"c":"y"}}` as `a.x b.c.y`. */
const stateText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return shown(value);
  return Object.entries(value)
    .map(([key, inner]) =>
      stateText(inner)
        .split(' ')
        .map((word) => (word === '' ? key : `${key}.${word}`))
        .join(' '),
    )
    .join(' ');
};

const clock = (atMs: unknown): string => new Date(Number(atMs)).toISOString().slice(11, 23);
const since = (atMs: unknown, nowMs: number): string =>
  `${Math.max(0, Math.round((nowMs - Number(atMs)) / 1000))} s`;

const word = (session: Session, flag: string): string | undefined => {
  const value = session.given[flag];
  return typeof value === 'string' ? value : undefined;
};

const about = async <T>(id: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status !== 404) throw error;
    throw new RefusedError(
      `no actor "${id}" runs; "mon-ctl actor list --search WORD" finds ids`,
      404,
      error.code,
    );
  }
};

export const listActors: Work = async (session) => {
  const api = await session.api();
  const limit = Number(word(session, 'limit') ?? 100);
  if (!Number.isSafeInteger(limit) || limit < 1) throw new CtlError('--limit must be a number of at least 1');
  const items: Json[] = [];
  let total = 0;
  let next: string | undefined;
  do {
    const query = {
      prefix: word(session, 'prefix'),
      search: word(session, 'search'),
      machine: word(session, 'machine'),
      state: word(session, 'state'),
      sort: word(session, 'sort'),
      limit: String(Math.min(limit - items.length, pageSizeOf(session) ?? 1000)),
      continue: next,
      ...(session.given.namespace === undefined ? {} : { namespace: session.settings.namespace }),
    };
    const page = (await api.get(`${root}/actors`, query)) as { items: Json[]; total: number; next?: string };
    items.push(...page.items);
    total = page.total;
    next = page.next;
  } while (next !== undefined && items.length < limit);
  if (session.settings.format !== 'tabular') return session.print(asJson(items));
  const rows = items.map(({ id, machine, value, mailbox, handled, restarts }) =>
    [id, machine, stateText(value), mailbox, handled, restarts].map(shown),
  );
  session.print(table(['Actor', 'Machine', 'State', 'Mailbox', 'Handled', 'Restarts'], rows, session.look));
  if (items.length < total) session.note(`${items.length} of ${total}; --limit shows more`);
};

const view = async (session: Session, id: string): Promise<Json> =>
  about(id, (await session.api()).getOne(actorPath(id)));

export const showActor: Work = async (session, [id = '']) => {
  const found = await view(session, id);
  if (session.settings.format !== 'tabular') return session.print(asJson(found));
  const row = found.row as Json;
  const nowMs = Number(found.nowMs);
  const deadlines = itemsAt(found, 'deadlines').map(
    ({ name, atMs }) => `${shown(name)} in ${Math.round((Number(atMs) - nowMs) / 1000)} s`,
  );
  const next = itemsAt(found, 'next').map(({ event }) => shown(event));
  session.print(
    details(
      id,
      [
        ['Machine', shown(row.machine)],
        ['State', stateText(row.value)],
        ['Status', shown(row.status)],
        ['Committed', String(found.committed !== false)],
        ['Mailbox', shown(row.mailbox)],
        ['Handled', shown(row.handled)],
        ['Restarts', shown(row.restarts)],
        ['Age', since(row.startedAtMs, nowMs)],
        ['Parent', shown(row.parent)],
        ['Deadlines', deadlines.join('\n')],
        ['Next Events', next.join(', ')],
        [
          'Last Restart',
          itemsAt(found, 'restarts')
            .map(({ error }) => shown(error))
            .at(-1) ?? '',
        ],
        ['Context', JSON.stringify(found.context, null, 2)],
      ],
      session.look,
    ),
  );
};

/** Most children of one supervisor that are printed. */
const maxChildren = 20;

const printTree = async (
  session: Session,
  api: ApiClient,
  parent: string | undefined,
  indent: string,
  depth: number,
): Promise<void> => {
  const page = (await api.get(`${root}/tree`, {
    ...(parent === undefined ? {} : { parent }),
    limit: String(maxChildren),
    empty: session.given.empty === 'true' ? 'true' : 'false',
  })) as { items: Json[]; total: number };
  for (const { id, kind, value, children, restarts, mailbox } of page.items) {
    const facts = [
      kind === 'supervisor' ? `${shown(children)} children` : stateText(value),
      ...(Number(restarts) > 0 ? [`${shown(restarts)} restarts`] : []),
      ...(Number(mailbox) > 0 ? [`${shown(mailbox)} in its mailbox`] : []),
    ];
    session.print(`${indent}${shown(id)}  ${facts.join(', ')}`);
    if (kind === 'supervisor' && depth > 1)
      await printTree(session, api, shown(id), `${indent}  `, depth - 1);
  }
  if (page.items.length < page.total) session.print(`${indent}… ${page.total - page.items.length} more`);
};

export const actorTree: Work = async (session, [parent]) => {
  const depth = Number(word(session, 'depth') ?? 3);
  if (!Number.isSafeInteger(depth) || depth < 1) throw new CtlError('--depth must be a number of at least 1');
  await about(parent ?? 'root', printTree(session, await session.api(), parent, '', depth));
};

/** Most changed paths of one transition that are shown. */
const maxChangedPaths = 3;

const changedPaths = (frame: Json): string => {
  const paths = itemsAt(frame, 'diff').map(({ path }) => shown(path));
  const left = paths.length - maxChangedPaths;
  return paths.slice(0, maxChangedPaths).join(', ') + (left > 0 ? ` and ${left} more` : '');
};

/** The parts of the new state that the old one does not have. */
const newParts = (frame: Json): string => {
  const before = new Set(stateText(frame.from).split(' '));
  return stateText(frame.to)
    .split(' ')
    .filter((part) => !before.has(part))
    .join(' ');
};

const frameTitles = ['Time', 'Actor', 'Event', 'From', 'To', 'Took', 'Changed'];
const frameRow = (frame: Json): readonly string[] => [
  clock(frame.atMs),
  shown(frame.actor),
  shown(at(frame.event, 'type')),
  stateText(frame.from),
  newParts(frame),
  `${shown(frame.durationUs)} us`,
  changedPaths(frame),
];

export const watchActors: Work = async (session, ids) => {
  const prefix = word(session, 'prefix');
  if (ids.length === 0 && prefix === undefined) throw new CtlError('name actors, or --prefix');
  const api = await session.api();
  for (const id of ids) await view(session, id);
  const end = untilInterrupted(session);
  const show =
    session.settings.format === 'tabular'
      ? growingTable(frameTitles, [], session.look, session.print)
      : undefined;
  const query = { actors: ids.join(','), prefix };
  let last: string | undefined;
  while (!end.aborted) {
    const question = { query, ...(last === undefined ? {} : { headers: { 'Last-Event-ID': last } }) };
    for await (const { id, event, data } of api.events(`${root}/stream`, question, end)) {
      last = id ?? last;
      if (event === 'lagged')
        session.note(`missed ${shown(at(JSON.parse(data), 'dropped')) || 'some'} transitions`);
      if (event !== 'transitions') continue;
      for (const frame of JSON.parse(data) as Json[])
        if (show === undefined) session.print(JSON.stringify(frame));
        else show(frameRow(frame));
    }
    if (!end.aborted) await new Promise((resolve) => setTimeout(resolve, streamRetryMs));
  }
};

export const actorHistory: Work = async (session, [id = '']) => {
  const history = itemsAt(await view(session, id), 'history');
  if (session.settings.format !== 'tabular') return session.print(asJson(history));
  session.print(table(frameTitles, history.map(frameRow), session.look));
  if (history.length === 0)
    session.note('nothing yet: an actor is watched for five minutes from the first question about it');
};

/** What the event says beside what was given: machines read fields such as the time, and nobody types them. */
const draftFor = (actor: Json, given: Json): Json => {
  const deadlines = itemsAt(actor, 'deadlines')
    .map(({ name, atMs }) => ({ name: shown(name), atMs: Number(atMs) }))
    .filter(({ name }) => given.name === undefined || name === given.name);
  return draftEvent(shown(given.type), actor.context, deadlines, Date.now());
};

export const dryRunActor: Work = async (session, [id = '', event = '']) => {
  const given = event.trim().startsWith('{') ? (JSON.parse(event) as Json) : { type: event };
  const api = await session.api();
  const asked = { ...draftFor(await view(session, id), given), ...given };
  const { text } = await about(id, api.ask('POST', `${actorPath(id)}/dry-run`, { body: { event: asked } }));
  const run = JSON.parse(text) as Json;
  if (session.settings.format !== 'tabular') return session.print(asJson(run));
  session.print(
    details(
      `${id}: ${shown(asked.type)}`,
      [
        ['From', stateText(run.from)],
        ['To', run.changed === true ? stateText(run.to) : 'unchanged'],
        ['Actions', shown(run.actions)],
        ...(run.error === undefined ? [] : ([['Error', shown(run.error)]] as const)),
      ],
      session.look,
    ),
  );
  const candidates = itemsAt(run, 'candidates').map((one) => [
    shown(one.id),
    shown(one.guard) || 'none',
    shown(one.verdict),
    one.taken === true ? 'taken' : '',
    shown(one.why),
  ]);
  if (candidates.length > 0)
    session.print(table(['Transition', 'Guard', 'Verdict', '', 'Why'], candidates, session.look));
  const changes = itemsAt(run, 'diff').map(({ path, before, after }) => [
    shown(path),
    JSON.stringify(before) ?? '',
    JSON.stringify(after) ?? '',
  ]);
  if (changes.length > 0) session.print(table(['Context', 'Before', 'After'], changes, session.look));
};
