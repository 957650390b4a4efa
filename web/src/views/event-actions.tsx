// What can be done to the chosen events of a list: to some here, to everything that matches by a job of the backend.
import type { EventGroupList, EventRow } from '../../../src/http/inspect/events/protocol.ts';
import type { Access } from '../lib/access.ts';
import { getJson } from '../lib/api.ts';
import type { EventChoice } from '../lib/event-choice.ts';
import { eventsPath, readPage } from '../lib/event-feed.ts';
import { keyInAll, keyOf, namespaceOf } from '../lib/event-key.ts';
import { type EventFilter, questionOf } from '../lib/event-query.ts';
import { plural } from '../lib/format.ts';
import { startJob } from '../lib/jobs.ts';
import { attemptAll, notify } from '../lib/notices.ts';
import { deleteEvent, isRunnable, rerun, resolveEvent, whyNotRun } from '../lib/resources.ts';
import { user } from '../lib/session.ts';
import { doLater, isWaiting } from '../lib/undo.ts';
import { acknowledgeFor } from './acknowledge-dialog.tsx';
import { silenceFor } from './silence-dialog.tsx';

/** From so many on it is asked before. */
const askFrom = 100;

export interface EventActions {
  readonly mayRun: boolean;
  acknowledge(): Promise<void>;
  resolve(): Promise<void>;
  rerun(): Promise<void>;
  silence(): Promise<void>;
  remove(): Promise<void>;
}

interface Context {
  readonly filter: EventFilter;
  readonly access: Access;
  readonly choice: EventChoice;
  /** How many match. */
  readonly total: number;
  readonly refresh: () => Promise<void>;
}

/** Jobs are of one namespace each. */
const namespacesIn = async (filter: EventFilter): Promise<readonly string[]> => {
  if (filter.namespace !== '') return [filter.namespace];
  const question = questionOf({ ...filter, group: undefined });
  const path = eventsPath('', { ...question, by: 'namespace' }, '/groups');
  const names = (await getJson<EventGroupList>(path)).groups.map(({ name }) => name);
  if (filter.group === undefined) return names;
  const pages = await Promise.all(names.map((namespace) => readPage({ ...filter, namespace }, 1, undefined)));
  return names.filter((_, index) => (pages[index]?.total ?? 0) > 0);
};

/** Handlers hear of it at once, so it waits for as long as it can be taken back. */
const resolveLater = (many: readonly EventRow[], refresh: () => Promise<void>): void => {
  const [only] = many;
  if (only === undefined) return;
  const by = user.value ?? 'somebody';
  doLater(
    `Resolving ${many.length === 1 ? keyOf(only) : plural(many.length, 'event')}`,
    many.map(keyInAll),
    () =>
      void attemptAll('Resolved', many, keyOf, (event) => resolveEvent(namespaceOf(event), event, by)).then(
        refresh,
      ),
  );
};

export const eventActions = ({ filter, access, choice, total, refresh }: Context): EventActions => {
  const done = (): void => {
    choice.clear();
    void refresh();
  };
  const doWhole = async (action: 'resolve' | 'rerun' | 'delete'): Promise<void> => {
    choice.clear();
    const question = questionOf(filter);
    for (const namespace of await namespacesIn(filter))
      await startJob(namespace, { action, question }, () => void refresh());
  };
  const forAll = async (
    what: string,
    many: readonly EventRow[],
    ask: string,
    act: (event: EventRow) => Promise<unknown>,
  ): Promise<void> => {
    if (many.length === 0) return;
    const needsAsking = ask !== '' || many.length > askFrom;
    if (needsAsking && !confirm(`${what}: ${plural(many.length, 'event')}${ask}. Go on?`)) return;
    await attemptAll(what, many, keyOf, act);
    choice.clear();
    await refresh();
  };
  return {
    mayRun: access.may('create', 'checks'),
    async acknowledge() {
      if (!access.may('update', 'events')) return;
      const many = (await choice.targets()).filter((row) => row.check.state !== 'passing');
      if (many.length === 0) return void notify('failed', 'Nothing to acknowledge: it passes.');
      acknowledgeFor(many, done);
    },
    async resolve() {
      if (!access.may('update', 'events')) return;
      if (choice.isAllChosen()) return doWhole('resolve');
      const many = (await choice.targets()).filter(
        (row) => row.check.status !== 0 && !isWaiting(keyInAll(row)),
      );
      if (many.length === 0)
        return void notify('failed', 'Nothing to resolve: it passes, or is being resolved.');
      resolveLater(many, refresh);
      choice.clear();
    },
    async rerun() {
      if (choice.isAllChosen()) return doWhole('rerun');
      const many = await choice.targets();
      const runnable = many.filter(isRunnable);
      const [first] = many;
      if (first !== undefined && runnable.length === 0)
        return void notify('failed', `${keyOf(first)} can't be run again: ${whyNotRun(first)}`);
      await forAll('Asked to run again:', runnable, '', (row) => rerun(namespaceOf(row), row));
      const left = many.length - runnable.length;
      if (left > 0) notify('failed', `${plural(left, 'event')} can't be run again from here.`);
    },
    async silence() {
      if (!access.may('create', 'silenced')) return;
      const many = await choice.targets();
      const [first] = many;
      if (first === undefined) return;
      const namespace = namespaceOf(first);
      if (many.some((row) => namespaceOf(row) !== namespace))
        return void notify('failed', 'A silence is of one namespace: choose events of one.');
      silenceFor(namespace, many, done);
    },
    async remove() {
      if (!choice.isAllChosen())
        return forAll('Deleted', await choice.targets(), ', with their history', (event) =>
          deleteEvent(namespaceOf(event), event),
        );
      if (confirm(`Delete ${plural(total, 'event')}, with their history? It begins in 10 s.`))
        await doWhole('delete');
    },
  };
};
