// Everything that runs: searched, filtered and sorted by the backend; as a table, or as the tree of who supervises whom.
import type { ActorPage, ActorRow, MachineGraph } from '../../../src/http/inspect/protocol.ts';
import { stateWords } from '../../../src/http/inspect/state-value.ts';
import { accessTo } from '../lib/access.ts';
import { isUsual } from '../lib/actor-id.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { duration, plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { namespace } from '../lib/namespaces.ts';
import { go, href, query, setQuery } from '../lib/router.ts';
import { useTitle } from '../lib/title.ts';
import { Chip, Empty, Problem } from '../parts/bits.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { SupervisorTree } from './supervisor-tree.tsx';

const pageSize = 100;
const sorts = [
  ['id', 'name'],
  ['mailbox', 'mailbox'],
  ['rate', 'messages'],
  ['restarts', 'restarts'],
  ['age', 'age'],
] as const;

export const ActorsPage = () => {
  const shape = query.value.get('as') ?? 'table';
  useTitle('Actors');
  return (
    <>
      <header class="page-head">
        <h1>Actors</h1>
        <div class="chips">
          <Chip on={shape === 'table'} onClick={() => setQuery({ as: '' })}>
            Table
          </Chip>
          {accessTo(namespace.value).mayEverywhere('inspect:get', 'actors') && (
            <Chip on={shape === 'tree'} onClick={() => setQuery({ as: 'tree' })}>
              Tree
            </Chip>
          )}
          <Chip on={shape === 'machines'} onClick={() => setQuery({ as: 'machines' })}>
            Machines
          </Chip>
        </div>
      </header>
      {shape === 'tree' ? <SupervisorTree /> : shape === 'machines' ? <MachineList /> : <ActorTable />}
    </>
  );
};

const useMachines = () => usePolled<MachineGraph[]>('machines', 600_000, () => getJson(inspect('machines')));

const MachineList = () => {
  const machines = useMachines();
  if (machines.error !== undefined) return <Problem text={machines.error} again={machines.again} />;
  return (
    <ul class="cards">
      {machines.data?.map((graph) => (
        <li key={graph.id}>
          <a href={href(`/machine/${graph.id}`)}>
            <b>{graph.id}</b>
            <span>{graph.title}</span>
            <span class="dim">
              {plural(graph.states.length - 1, 'state')}, {plural(graph.transitions.length, 'transition')}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
};

const ActorTable = () => {
  const asked = query.value;
  const sort = asked.get('sort') ?? 'id';
  const from = asked.get('from') ?? '';
  const parameters = new URLSearchParams({ limit: String(pageSize), sort });
  for (const name of ['search', 'machine', 'state', 'prefix'])
    if (asked.get(name)) parameters.set(name, asked.get(name) ?? '');
  if (!accessTo(namespace.value).mayEverywhere('inspect:get', 'actors'))
    parameters.set('namespace', namespace.value);
  if (from !== '') parameters.set('continue', from);
  const path = `actors?${parameters}`;
  const found = usePolled<ActorPage>(path, 2_000, () => getJson(inspect(path)));
  const machines = useMachines();
  return (
    <>
      <div class="filters">
        <SearchBox
          value={asked.get('search') ?? ''}
          placeholder="Search actors by name"
          onChange={(search) => setQuery({ search, from: '' })}
        />
        <select
          aria-label="Machine"
          value={asked.get('machine') ?? ''}
          onChange={(event) => setQuery({ machine: event.currentTarget.value, state: '', from: '' })}
        >
          <option value="">every machine</option>
          {machines.data?.map((graph) => (
            <option key={graph.id} value={graph.id}>
              {graph.id}
            </option>
          ))}
        </select>
        <StateSelect graph={machines.data?.find((graph) => graph.id === asked.get('machine'))} />
        <select
          aria-label="Order"
          value={sort}
          onChange={(event) => setQuery({ sort: event.currentTarget.value, from: '' })}
        >
          {sorts.map(([value, label]) => (
            <option key={value} value={value}>
              by {label}
            </option>
          ))}
        </select>
        <span class="count">{found.data === undefined ? '' : plural(found.data.total, 'actor')}</span>
      </div>
      {found.error !== undefined && <Problem text={found.error} again={found.again} />}
      {found.data?.items.length === 0 && <Empty>No actor fits.</Empty>}
      <table class="table actors">
        <thead>
          <tr>
            <th>Actor</th>
            <th>State</th>
            <th class="right">Mailbox</th>
            <th class="right">Messages</th>
            <th class="right">Restarts</th>
            <th class="right">Age</th>
          </tr>
        </thead>
        <tbody>
          {found.data?.items.map((row) => (
            <Row key={row.id} row={row} />
          ))}
        </tbody>
      </table>
      <div class="row pager">
        {from !== '' && (
          <button type="button" onClick={() => setQuery({ from: '' })}>
            First page
          </button>
        )}
        {found.data?.next !== undefined && (
          <button type="button" onClick={() => setQuery({ from: found.data?.next ?? '' })}>
            Next {pageSize}
          </button>
        )}
      </div>
    </>
  );
};

const StateSelect = ({ graph }: { graph: MachineGraph | undefined }) => {
  if (graph === undefined) return null;
  const states = graph.states.filter((state) => state.parent !== null && state.type !== 'history');
  return (
    <select
      aria-label="State"
      value={query.value.get('state') ?? ''}
      onChange={(event) => setQuery({ state: event.currentTarget.value, from: '' })}
    >
      <option value="">every state</option>
      {states.map((state) => {
        const word = state.id.slice(graph.id.length + 1);
        return (
          <option key={word} value={word}>
            {word}
          </option>
        );
      })}
    </select>
  );
};

const Row = ({ row }: { row: ActorRow }) => {
  const to = `/actor/${encode(row.id)}`;
  const colon = row.id.indexOf(':');
  return (
    <tr onClick={() => go(to)} class="link">
      <td>
        <a href={href(to)}>
          <span class="dim">{row.id.slice(0, colon + 1)}</span>
          {row.id.slice(colon + 1)}
        </a>
      </td>
      <td>
        <span class="state-words">
          {stateWords(row.value).map((word) => (
            <code key={word}>{word}</code>
          ))}
          {!isUsual(row.status) && <code class="odd">{row.status}</code>}
        </span>
      </td>
      <td class={`right num ${row.mailbox > 0 ? 'loud' : ''}`}>{row.mailbox}</td>
      <td class="right num">{row.handled.toLocaleString('en')}</td>
      <td class={`right num ${row.restarts > 0 ? 'loud' : ''}`}>{row.restarts}</td>
      <td class="right num">{duration((now.value - row.startedAtMs) / 1000)}</td>
    </tr>
  );
};
