// Silences: what is quiet, who said so, why, until when, and what each one covers right now.
import { useSignal } from '@preact/signals';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { accessTo } from '../lib/access.ts';
import { getJson, inNamespace } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { keyOf } from '../lib/event-key.ts';
import { coveredBy } from '../lib/event-query.ts';
import { dateTime, duration, plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { attempt } from '../lib/notices.ts';
import { type ProblemsByName, readProblems } from '../lib/problems.ts';
import { deleteSilence, type Silence } from '../lib/resources.ts';
import { query, setQuery } from '../lib/router.ts';
import { Empty, Problem } from '../parts/bits.tsx';
import { ProblemMark } from '../parts/problem-marks.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { silenceFor } from './silence-dialog.tsx';

export const SilencesPage = ({ namespace }: { namespace: string }) => {
  const silences = usePolled<Silence[]>(`silenced/${namespace}`, 3_000, () =>
    getJson(inNamespace(namespace, 'silenced')),
  );
  const problems = usePolled<ProblemsByName>(`problems of silenced/${namespace}`, problemsEveryMs, () =>
    readProblems(namespace, { path: 'silenced', isNamespaced: true }),
  );
  const drawn = useSignal(rowsStep);
  const search = (query.value.get('search') ?? '').toLowerCase();
  const found = (silences.data ?? [])
    .filter((silence) => textOf(silence).includes(search))
    .sort((a, b) => endOf(a) - endOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
  return (
    <>
      <header class="page-head">
        <h1>Silences</h1>
        {accessTo(namespace).may('create', 'silenced') && (
          <button type="button" class="primary" onClick={() => silenceFor(namespace, [], silences.again)}>
            New silence…
          </button>
        )}
      </header>
      {silences.error !== undefined && <Problem text={silences.error} again={silences.again} />}
      {silences.data?.length === 0 && <Empty>Nothing is silenced in this namespace.</Empty>}
      {(silences.data?.length ?? 0) > 0 && (
        <div class="filters">
          <SearchBox
            value={search}
            placeholder="Search name, reason, who"
            onChange={(text) => setQuery({ search: text })}
          />
          <span class="count">{plural(found.length, 'silence')}, next to end first</span>
        </div>
      )}
      <ul class="silences">
        {found.slice(0, drawn.value).map((silence) => (
          <Row
            key={silence.metadata.name}
            silence={silence}
            namespace={namespace}
            problems={problems.data?.get(silence.metadata.name)}
            onLift={async () => {
              if (
                await attempt(`Lifted ${silence.metadata.name}`, () =>
                  deleteSilence(namespace, silence.metadata.name),
                )
              )
                silences.again();
            }}
          />
        ))}
      </ul>
      {found.length > drawn.value && (
        <div class="row pager">
          <button
            type="button"
            onClick={() => {
              drawn.value += rowsStep;
            }}
          >
            {plural(found.length - drawn.value, 'more', 'more')}
          </button>
        </div>
      )}
    </>
  );
};

/** Each row asks what it covers. */
const rowsStep = 30;
const coversEveryMs = 10_000;
const problemsEveryMs = 5_000;

const textOf = ({ metadata, reason, creator }: Silence): string =>
  `${metadata.name} ${reason ?? ''} ${creator ?? ''}`.toLowerCase();
const endOf = ({ expire_at: end }: Silence): number => (end > 0 ? end : Number.MAX_SAFE_INTEGER);

interface RowProps {
  readonly namespace: string;
  readonly silence: Silence;
  readonly problems: readonly string[] | undefined;
  readonly onLift: () => void;
}

const Row = ({ namespace, silence, problems, onLift }: RowProps) => {
  const path = eventsPath(namespace, { ...coveredBy(silence), limit: '30' });
  const { data: hit } = usePolled<EventListPage>(path, coversEveryMs, () => getJson(path));
  const endMs = silence.expire_at * 1000;
  const left = endMs > 0 ? (endMs - now.value) / 1000 : undefined;
  const notYet = silence.begin * 1000 > now.value;
  return (
    <li>
      <div class="what">
        <b class="mono">
          {silence.metadata.name}
          <ProblemMark reasons={problems} />
        </b>
        <span>{silence.reason || <i class="dim">no reason given</i>}</span>
        <span class="dim">
          {silence.creator || 'somebody'} · since {dateTime(silence.begin * 1000)}
          {silence.expire_on_resolve && ' · ends when it resolves'}
        </span>
      </div>
      <div class="until">
        {notYet ? (
          <span>begins in {duration(silence.begin - now.value / 1000)}</span>
        ) : left === undefined ? (
          <span class="loud">no end</span>
        ) : (
          <>
            <span class="num">{duration(left)} left</span>
            {silence.expire > 0 && <progress max={silence.expire} value={Math.max(0, left)} />}
          </>
        )}
        {hit !== undefined && (
          <span class={hit.total === 0 ? 'dim' : ''} title={hit.items.map(keyOf).join('\n')}>
            {hit.total === 0 ? 'covers nothing now' : `covers ${plural(hit.total, 'event')}`}
          </span>
        )}
      </div>
      {accessTo(namespace).may('delete', 'silenced') && (
        <button type="button" onClick={onLift}>
          Lift
        </button>
      )}
    </li>
  );
};
