// Everything that `-f` names, read before anything is sent.
import { CtlError } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Described, readDocuments } from './documents.ts';
import { readSources } from './read-sources.ts';

export const readResources = async (session: Session): Promise<Described[]> => {
  const resources = await readDocuments(await readSources(session), session.settings.namespace);
  if (resources.length === 0) throw new CtlError('there is no resource in what was given');
  return resources;
};
