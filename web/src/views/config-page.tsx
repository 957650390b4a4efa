// What is set up: every kind of resource as a list with a search, each one as JSON to read and change.

import { useSignal } from '@preact/signals';
import { accessTo } from '../lib/access.ts';
import { encode, getPage } from '../lib/api.ts';
import {
  type ConfigKind,
  collectionOf,
  configKinds,
  nameOf,
  type Resource,
  shownName,
} from '../lib/config-kinds.ts';
import { plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { type ProblemsByName, readProblems } from '../lib/problems.ts';
import { go, href, query, setQuery } from '../lib/router.ts';
import { useTitle } from '../lib/title.ts';
import { Chip, Empty, Problem } from '../parts/bits.tsx';
import { ProblemMark } from '../parts/problem-marks.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { ConfigEditor, listPath } from './config-editor.tsx';

interface Props {
  readonly namespace: string;
  readonly kindPath: string;
  readonly name?: string | undefined;
}

const everyMs = 10_000;
const pageItems = 500;
const maxItems = 5_000;
const rowsStep = 200;

export const ConfigPage = ({ namespace, kindPath, name }: Props) => {
  const kind = configKinds.find(({ path }) => path === kindPath);
  useTitle(name ?? kind?.title ?? 'Configuration');
  if (kind === undefined) return <Empty>There is no kind of resource called “{kindPath}”.</Empty>;
  const isNew = query.value.get('new') !== null && kind.acts.includes('create');
  if (name !== undefined || isNew)
    return (
      <ConfigEditor
        key={`${namespace}/${kindPath}/${name ?? ''}`}
        namespace={namespace}
        kind={kind}
        name={name}
      />
    );
  return <ConfigList key={`${namespace}/${kindPath}`} namespace={namespace} kind={kind} />;
};

interface Found {
  readonly items: readonly Resource[];
  readonly isPartial: boolean;
}

const readAll = async (path: string): Promise<Found> => {
  const items: Resource[] = [];
  let next: string | undefined;
  do {
    const page = await getPage<Resource>(path, { limit: String(pageItems), continue: next });
    items.push(...page.items);
    next = page.next;
  } while (next !== undefined && items.length < maxItems);
  return { items, isPartial: next !== undefined };
};

const ConfigList = ({ namespace, kind }: { namespace: string; kind: ConfigKind }) => {
  const path = collectionOf(kind, namespace);
  const found = usePolled<Found>(path, everyMs, () => readAll(path));
  const problems = usePolled<ProblemsByName>(`problems of ${path}`, everyMs, () =>
    readProblems(namespace, kind),
  );
  const shownRows = useSignal(rowsStep);
  const search = query.value.get('search') ?? '';
  const words = search.toLowerCase().split(' ');
  const rows = (found.data?.items ?? []).filter((resource) => {
    const told = kind.columns.map(([, tell]) => tell(resource));
    const text = [shownName(kind, resource), ...told].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <>
      <header class="page-head">
        <h1>Configuration</h1>
        {kind.acts.includes('create') && mayTouch(namespace, kind, 'create') && (
          <button type="button" class="primary" onClick={() => go(`${listPath(namespace, kind)}?new=1`)}>
            New {kind.one}…
          </button>
        )}
      </header>
      <Kinds namespace={namespace} chosen={kind} />
      <div class="filters">
        <SearchBox
          value={search}
          placeholder={`Search ${kind.title.toLowerCase()}`}
          onChange={(text) => setQuery({ search: text })}
        />
        <span class="count">
          {found.data !== undefined && plural(rows.length, kind.one, kind.title.toLowerCase())}
          {found.data?.isPartial === true && ` of the first ${found.data.items.length}`}
        </span>
      </div>
      {found.error !== undefined && <Problem text={found.error} again={found.again} />}
      {found.data !== undefined && rows.length === 0 && (
        <Empty>
          {found.data.items.length === 0 ? `There are no ${kind.title.toLowerCase()} here.` : 'None fits.'}
        </Empty>
      )}
      {rows.length > 0 && (
        <table class="table config">
          <thead>
            <tr>
              <th>name</th>
              {kind.columns.map(([heading]) => (
                <th key={heading}>{heading}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shownRows.value).map((resource) => (
              <tr key={nameOf(resource)}>
                <td>
                  <a href={href(`${listPath(namespace, kind)}/${encode(nameOf(resource))}`)}>
                    {shownName(kind, resource)}
                  </a>{' '}
                  <ProblemMark reasons={problems.data?.get(nameOf(resource))} />
                </td>
                {kind.columns.map(([heading, tell]) => (
                  <td key={heading} class="dim" title={tell(resource)}>
                    {tell(resource)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > shownRows.value && (
        <div class="row pager">
          <button
            type="button"
            onClick={() => {
              shownRows.value += rowsStep;
            }}
          >
            {rows.length - shownRows.value} more
          </button>
        </div>
      )}
    </>
  );
};

const mayTouch = (namespace: string, kind: ConfigKind, verb: 'list' | 'create'): boolean => {
  const access = accessTo(namespace);
  return kind.isNamespaced ? access.may(verb, kind.path) : access.mayEverywhere(verb, kind.path);
};

const Kinds = ({ namespace, chosen }: { namespace: string; chosen: ConfigKind }) => (
  <nav class="chips kinds" aria-label="Kinds">
    {[true, false].map((isNamespaced) => (
      <div key={String(isNamespaced)} class="chips">
        <span class="dim">{isNamespaced ? `in ${namespace}` : 'everywhere'}</span>
        {configKinds
          .filter((kind) => kind.isNamespaced === isNamespaced && mayTouch(namespace, kind, 'list'))
          .map((kind) => (
            <Chip key={kind.path} on={kind === chosen} onClick={() => go(listPath(namespace, kind))}>
              {kind.title}
            </Chip>
          ))}
      </div>
    ))}
  </nav>
);
