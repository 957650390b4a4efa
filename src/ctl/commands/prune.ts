// prune: deletes what the files no longer describe. The backend decides what that is, and does it.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import { table } from '../output/table.ts';
import { shown } from '../output/values.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { readDocuments } from '../sources/documents.ts';
import { readSources } from '../sources/read-sources.ts';
import { kindsCalled } from './types.ts';

const words = (session: Session, flag: string): readonly string[] => {
  const value = session.given[flag];
  return Array.isArray(value) ? (value as string[]) : typeof value === 'string' ? value.split(',') : [];
};

const isOn = (session: Session, flag: string): boolean => session.given[flag] === 'true';

const ask = async (session: Session, types: string, dryRun: boolean): Promise<readonly Json[]> => {
  const omitted = new Set(words(session, 'omit').flatMap((word) => kindsCalled(word)));
  const kinds = kindsCalled(types).filter((kind) => !omitted.has(kind));
  const kept = await readDocuments(await readSources(session), session.settings.namespace);
  const named = kinds.flatMap((kind) => kind.types.map((type) => `${kind.apiVersion}.${type}`));
  const namespaces = new Set([session.settings.namespace, ...kept.map(({ namespace }) => namespace)]);
  namespaces.delete('');
  const query = new URLSearchParams([
    ...named.map((type) => ['types', type]),
    ...[...namespaces].map((namespace) => ['namespaces', namespace]),
    ...words(session, 'users').map((user) => ['users', user]),
    ['allUsers', String(isOn(session, 'all-users'))],
    ['clusterWide', String(isOn(session, 'cluster-wide'))],
    ['dryRun', String(dryRun)],
    ...(typeof session.given['label-selector'] === 'string'
      ? [['labelSelector', session.given['label-selector']]]
      : []),
  ] as [string, string][]);
  const body = kept.map(({ kind, body: resource, name, namespace }) => ({
    type: kind.wrapped ? resource.type : kind.type,
    api_version: kind.apiVersion,
    metadata: { name, ...(namespace === '' ? {} : { namespace }) },
  }));
  const { text } = await (await session.api()).ask('POST', `/api/enterprise/prune/v1alpha?${query}`, {
    body,
  });
  return (text === '' ? [] : JSON.parse(text)) as Json[];
};

const show = (session: Session, found: readonly Json[]): void => {
  if (session.settings.format !== 'tabular') return session.print(asJson(found));
  const keys = ['type', 'api_version', 'namespace', 'name', 'created_by'];
  const rows = found.map((one) => keys.map((key) => shown(one[key])));
  session.print(table(['Type', 'API Version', 'Namespace', 'Name', 'Created By'], rows, session.look));
};

export const prune: Work = async (session, [types = '']) => {
  if (types === '')
    throw new CtlError('name the types to prune, e.g. "mon-ctl prune checks,handlers -r -f monitoring/"');
  if (isOn(session, 'dry-run')) return show(session, await ask(session, types, true));
  if (session.canAsk && session.given['skip-confirm'] !== 'true') {
    const found = await ask(session, types, true);
    show(session, found);
    if (found.length === 0) return;
    if (!(await confirm(session, `Are you sure you would like to delete these ${found.length} resources?`)))
      return session.print('Canceled');
  }
  show(session, await ask(session, types, false));
};
