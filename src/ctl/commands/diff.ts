// diff: what create or apply would change, as a unified difference between the backend's resources and those in files.
import type { ApiClient } from '../client/api-client.ts';
import { refusalOf } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError, SaidError } from '../failure.ts';
import { unifiedDiff } from '../output/unified-diff.ts';
import type { Session } from '../session.ts';
import { comparable } from '../sources/comparable.ts';
import type { Described } from '../sources/documents.ts';
import { findingsOf } from '../sources/offline-rules.ts';
import { readResources } from '../sources/read-resources.ts';

export type Became = 'created' | 'changed' | 'unchanged';

export interface Difference {
  readonly became: Became;
  /** Empty when unchanged. */
  readonly text: string;
}

export const differenceOf = async (
  session: Session,
  api: ApiClient,
  resource: Described,
): Promise<Difference> => {
  const reply = await api.send('GET', resource.path);
  if (reply.status >= 400 && reply.status !== 404) throw refusalOf(reply);
  const there = reply.status === 404 ? undefined : reply.text;
  const { before, now } = await comparable(resource, there);
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
