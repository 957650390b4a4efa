// Names of types: `all`, short names such as `checks`, types such as `CheckConfig`, and both with their version.
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { type KindAddress, kindAddresses } from '../kinds/addresses.ts';
import { asJson } from '../output/documents.ts';
import { table } from '../output/table.ts';

/** Words of the other commands, as in `edit check disk`. */
const singular: Readonly<Record<string, string>> = {
  'api-key': 'apikeys',
  asset: 'assets',
  auth: 'authproviders',
  check: 'checks',
  'cluster-role': 'clusterroles',
  'cluster-role-binding': 'clusterrolebindings',
  entity: 'entities',
  event: 'events',
  filter: 'filters',
  handler: 'handlers',
  hook: 'hooks',
  mutator: 'mutators',
  namespace: 'namespaces',
  pipeline: 'pipelines',
  role: 'roles',
  'role-binding': 'rolebindings',
  secret: 'secrets',
  user: 'users',
};

const isCalled = (kind: KindAddress, word: string): boolean =>
  kind.path === word ||
  singular[word] === kind.path ||
  kind.types.some(
    (type) => type.toLowerCase() === word.toLowerCase() || `${kind.apiVersion}.${type}` === word,
  ) ||
  // The reference calls all directories and issuers, and all providers, by one name.
  (`${kind.apiVersion}.Provider` === word && (kind.path === 'authproviders' || kind.path === 'providers'));

export const kindsCalled = (words: string): readonly KindAddress[] => {
  const chosen = new Set<KindAddress>();
  for (const word of words
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const found = word === 'all' ? kindAddresses : kindAddresses.filter((kind) => isCalled(kind, word));
    if (found.length === 0)
      throw new CtlError(
        `invalid resource type: ${word}; "mon-ctl describe-type all" lists those that are known`,
      );
    for (const kind of found) chosen.add(kind);
  }
  return kindAddresses.filter((kind) => chosen.has(kind));
};

export const describeTypes: Work = (session, [words = '']) => {
  const rows = kindsCalled(words).flatMap(({ types, apiVersion, path, namespaced }) =>
    types.map((type) => ({
      fully_qualified_name: `${apiVersion}.${type}`,
      short_name: path,
      api_version: apiVersion,
      type,
      namespaced,
    })),
  );
  if (session.settings.format !== 'tabular') return session.print(asJson(rows));
  const titles = ['Fully Qualified Name', 'Short Name', 'API Version', 'Type', 'Namespaced'];
  session.print(
    table(
      titles,
      rows.map((row) => Object.values(row).map(String)),
      session.look,
    ),
  );
};
