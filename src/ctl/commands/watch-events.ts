// event list --watch: the list, and a line for each change of it, until it is interrupted.
import { followEvents, readLiveList } from '../client/live-events.ts';
import { CtlError } from '../failure.ts';
import { eventCommands } from '../kinds/watching.ts';
import { growingTable } from '../output/table.ts';
import type { Session } from '../session.ts';

/** Ends with an interrupt, and when nobody reads any more. */
export const untilInterrupted = (session: Session): AbortSignal => {
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());
  session.streams.out.once?.('close', () => end.abort());
  return end.signal;
};

const keyOf = (row: Record<string, unknown>): string => eventCommands.name(row);

export const watchEvents = async (session: Session): Promise<void> => {
  const { given, settings } = session;
  if (given['all-namespaces'] === 'true')
    throw new CtlError('--watch follows one namespace: name it with --namespace');
  const query = {
    order: 'name',
    fieldSelector: given['field-selector'] as string | undefined,
    labelSelector: given['label-selector'] as string | undefined,
  };
  const api = await session.api();
  const end = untilInterrupted(session);
  const { rows, cursor } = await readLiveList(api, settings.namespace, query);
  const columns = eventCommands.columns;
  const cells = (row: Record<string, unknown>): string[] => columns.map(({ cell }) => cell(row));
  const show =
    settings.format === 'tabular'
      ? growingTable(
          columns.map(({ title }) => title),
          rows.map(cells),
          session.look,
          session.print,
        )
      : undefined;
  if (show === undefined) for (const row of rows) session.print(JSON.stringify(row));
  const known = new Map(rows.map((row) => [keyOf(row), row]));
  for await (const change of followEvents(api, settings.namespace, query, cursor, end)) {
    if (change.type === 'row') {
      known.set(keyOf(change.row), change.row);
      if (show === undefined) session.print(JSON.stringify(change.row));
      else show(cells(change.row));
      continue;
    }
    const row = known.get(change.key);
    known.delete(change.key);
    const [entity = '', check = ''] = change.key.split('/');
    if (show === undefined) session.print(JSON.stringify({ gone: change.key }));
    else
      show(
        row === undefined
          ? [entity, check, 'gone']
          : cells(row).map((cell, at) => (at === 2 ? 'gone' : cell)),
      );
  }
};
