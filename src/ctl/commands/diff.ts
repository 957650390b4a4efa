// diff: what create or apply would change, as a unified difference between the backend's resources and those in files.
import { managedByCtlLabels } from '../../model/reserved-labels.ts';
import type { ApiClient, Json } from '../client/api-client.ts';
import { refusalOf } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError, SaidError } from '../failure.ts';
import { asYaml } from '../output/documents.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { Session } from '../session.ts';
import type { Described } from '../sources/documents.ts';
import { asKept, findingsOf } from '../sources/offline-rules.ts';
import { readResources } from '../sources/read-resources.ts';

export type Became = 'created' | 'changed' | 'unchanged';

export interface Difference {
  readonly became: Became;
  /** Empty when unchanged. */
  readonly text: string;
}

/** Without what the backend and apply add: who writes a file does not write these. */
const asWritten = (resource: Json): Json => {
  if (resource.metadata === undefined) return resource;
  const { created_by: _author, labels, ...metadata } = resource.metadata as Json;
  const own = Object.entries((labels ?? {}) as Json).filter(
    ([label, value]) => managedByCtlLabels[label] !== value,
  );
  return {
    ...resource,
    metadata: { ...metadata, ...(own.length === 0 ? {} : { labels: Object.fromEntries(own) }) },
  };
};

/** Keys in one order: that of a file is its writer's. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
};

export const differenceOf = async (
  session: Session,
  api: ApiClient,
  resource: Described,
): Promise<Difference> => {
  const reply = await api.send('GET', resource.path);
  if (reply.status >= 400 && reply.status !== 404) throw refusalOf(reply);
  const there = reply.status === 404 ? undefined : (JSON.parse(reply.text) as Json);
  const textOf = (value: Json | undefined): Promise<string> | string =>
    value === undefined ? '' : asYaml([sorted(asWritten(value)) as Json], resource.kind);
  const before = await textOf(there);
  const now = await textOf(asKept(resource) as Json);
  const name = `${resource.kind.type} ${resource.namespace === '' ? '' : `${resource.namespace}/`}${resource.name}`;
  const names = [
    there === undefined ? '/dev/null' : `backend: ${name}`,
    `${resource.where}: ${name}`,
  ] as const;
  const text = unifiedDiff(names, before, now, session.look);
  return { became: there === undefined ? 'created' : text === '' ? 'unchanged' : 'changed', text };
};

/** What the backend would refuse has no difference worth reading. */
export const refuseInvalid = (resources: readonly Described[]): void => {
  for (const resource of resources) {
    const fault = findingsOf(resource).find(({ isError }) => isError);
    if (fault === undefined) continue;
    const { line, column } = fault.place;
    throw new CtlError(`${resource.text.file}:${line}:${column}: ${fault.message}`);
  }
};

export const diffFiles: Work = async (session) => {
  const resources = await readResources(session);
  refuseInvalid(resources);
  const api = await session.api();
  let differ = 0;
  for (const resource of resources) {
    const { text } = await differenceOf(session, api, resource);
    if (text === '') continue;
    differ += 1;
    session.print(text);
  }
  if (differ === 0) return;
  session.note(`${differ} of ${resources.length} resources differ`);
  throw new SaidError();
};
