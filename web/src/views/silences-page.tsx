// Silences: what is quiet, who said so, why, until when, what each one covers and held back, and which ended lately.
import { useSignal } from '@preact/signals';
import { describeWindow } from '../../../src/model/silence/window-words.ts';
import { accessTo } from '../lib/access.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { coveredBy } from '../lib/event-query.ts';
import { ago, dateTime, duration, plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { attemptAll } from '../lib/notices.ts';
import { type ProblemsByName, readProblems } from '../lib/problems.ts';
import {
  deleteSilence,
  type EndedSilence,
  extendSilence,
  type Silence,
  type SilenceOverview,
  type SilenceStanding,
} from '../lib/resources.ts';
import { href, query, setQuery } from '../lib/router.ts';
import { useTitle } from '../lib/title.ts';
import { Empty, Problem } from '../parts/bits.tsx';
import { ProblemMark } from '../parts/problem-marks.tsx';
import { SearchBox } from '../parts/search-box.tsx';
import { editSilence, silenceFor } from './silence-dialog.tsx';

const rowsStep = 30;
const overviewEveryMs = 3_000;
const problemsEveryMs = 5_000;
const extendSeconds = 3_600;

export const SilencesPage = ({ namespace }: { namespace: string }) => {
  const path = inspect(`namespaces/${encode(namespace)}/silences`);
  const overview = usePolled<SilenceOverview>(path, overviewEveryMs, () => getJson(path));
  const problems = usePolled<ProblemsByName>(`problems of silenced/${namespace}`, problemsEveryMs, () =>
    readProblems(namespace, { path: 'silenced', isNamespaced: true }),
  );
  const drawn = useSignal(rowsStep);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const search = (query.value.get('search') ?? '').toLowerCase();
  const all = overview.data?.silences ?? [];
  useTitle('Silences', all.length);
  const found = all
    .filter(({ silence }) => textOf(silence).includes(search))
    .sort((a, b) => endOf(a.silence) - endOf(b.silence) || (nameOf(a) < nameOf(b) ? -1 : 1));
  const selected = found.map(nameOf).filter((name) => chosen.value.has(name));
  const access = accessTo(namespace);
  const toggle = (name: string): void => {
    const names = new Set(chosen.value);
    if (!names.delete(name)) names.add(name);
    chosen.value = names;
  };
  const doAll = async (
    what: string,
    names: readonly string[],
    act: (name: string) => Promise<unknown>,
  ): Promise<void> => {
    await attemptAll(what, names, (name) => name, act, 'silence');
    chosen.value = new Set();
    overview.again();
  };
  const lift = (names: readonly string[]): Promise<void> =>
    doAll('Lifted', names, (name) => deleteSilence(namespace, name));
  const extend = (names: readonly string[]): Promise<void> =>
    doAll('Extended', names, (name) => extendSilence(namespace, name, extendSeconds));
  return (
    <>
      <header class="page-head">
        <h1>Silences</h1>
        {access.may('create', 'silenced') && (
          <button type="button" class="primary" onClick={() => silenceFor(namespace, [], overview.again)}>
            New silence…
          </button>
        )}
      </header>
      {overview.error !== undefined && <Problem text={overview.error} again={overview.again} />}
      {overview.data?.silences.length === 0 && <Empty>Nothing is silenced in this namespace.</Empty>}
      {all.length > 0 && (
        <div class="filters">
          <SearchBox
            value={search}
            placeholder="Search name, reason, who"
            onChange={(text) => setQuery({ search: text })}
          />
          <span class="count">{plural(found.length, 'silence')}, next to end first</span>
          {selected.length > 0 && (
            <span class="row">
              {plural(selected.length, 'silence')} selected
              {access.may('update', 'silenced') && (
                <button type="button" onClick={() => void extend(selected)}>
                  Extend by 1 h
                </button>
              )}
              {access.may('delete', 'silenced') && (
                <button type="button" onClick={() => void lift(selected)}>
                  Lift them
                </button>
              )}
            </span>
          )}
        </div>
      )}
      <ul class="silences">
        {found.slice(0, drawn.value).map((standing) => (
          <Row
            key={nameOf(standing)}
            standing={standing}
            namespace={namespace}
            problems={problems.data?.get(nameOf(standing))}
            isChosen={chosen.value.has(nameOf(standing))}
            onToggle={() => toggle(nameOf(standing))}
            onEdit={() => editSilence(namespace, standing.silence, overview.again)}
            onExtend={() => void extend([nameOf(standing)])}
            onLift={() => void lift([nameOf(standing)])}
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
      <Ended ended={overview.data?.ended ?? []} />
    </>
  );
};

const nameOf = ({ silence }: { readonly silence: Silence }): string => silence.metadata.name;

const textOf = ({ metadata, reason, creator, selector }: Silence): string =>
  `${metadata.name} ${reason ?? ''} ${creator ?? ''} ${selector ?? ''}`.toLowerCase();
const endOf = ({ expire_at: end }: Silence): number => (end > 0 ? end : Number.MAX_SAFE_INTEGER);

interface RowProps {
  readonly namespace: string;
  readonly standing: SilenceStanding;
  readonly problems: readonly string[] | undefined;
  readonly isChosen: boolean;
  readonly onToggle: () => void;
  readonly onEdit: () => void;
  readonly onExtend: () => void;
  readonly onLift: () => void;
}

const Row = ({ namespace, standing, problems, isChosen, ...on }: RowProps) => {
  const { silence } = standing;
  const { name } = silence.metadata;
  const access = accessTo(namespace);
  return (
    <li>
      <input type="checkbox" aria-label={`Select ${name}`} checked={isChosen} onChange={on.onToggle} />
      <div class="what">
        <b class="mono">
          {name}
          <ProblemMark reasons={problems} />
        </b>
        {silence.selector && <code>{silence.selector}</code>}
        <span>{silence.reason || <i class="dim">no reason given</i>}</span>
        <span class="dim">
          {silence.creator || 'somebody'} · since {dateTime(silence.begin * 1000)}
          {silence.expire_on_resolve && ' · ends when it resolves'}
        </span>
        {(silence.windows ?? []).length > 0 && (
          <span class="dim">only {(silence.windows ?? []).map(describeWindow).join(', ')}</span>
        )}
      </div>
      <Until namespace={namespace} standing={standing} />
      <div class="row">
        {access.may('update', 'silenced') && (
          <>
            <button type="button" onClick={on.onEdit}>
              Change…
            </button>
            {silence.expire_at > 0 && (
              <button type="button" title="Extend by 1 h" onClick={on.onExtend}>
                +1 h
              </button>
            )}
          </>
        )}
        {access.may('delete', 'silenced') && (
          <button type="button" onClick={on.onLift}>
            Lift
          </button>
        )}
      </div>
    </li>
  );
};

const listOf = (namespace: string, silence: Silence): string => {
  const { entity = '', check = '', fieldSelector: fields = '' } = coveredBy(silence);
  return href(
    `/n/${encode(namespace)}/events?${new URLSearchParams({ show: 'all', entity, check, fields })}`,
  );
};

const Until = ({ namespace, standing }: { namespace: string; standing: SilenceStanding }) => {
  const { silence, phase, covers, suppressed, last_suppressed: last } = standing;
  const left = silence.expire_at > 0 ? silence.expire_at - now.value / 1000 : undefined;
  const isAhead = silence.begin * 1000 > now.value;
  const verb = phase === 'active' ? 'covers' : 'would cover';
  return (
    <div class="until">
      {isAhead ? (
        <span>begins in {duration(silence.begin - now.value / 1000)}</span>
      ) : (
        phase === 'pending' && <span class="dim">waits for its next time</span>
      )}
      {!isAhead && left === undefined && <span class="loud">no end</span>}
      {!isAhead && left !== undefined && (
        <>
          <span class="num">{duration(left)} left</span>
          {silence.expire > 0 && <progress max={silence.expire} value={Math.max(0, left)} />}
        </>
      )}
      {covers === 0 ? (
        <span class={phase === 'active' ? 'loud' : 'dim'}>
          {phase === 'active' ? 'covers nothing now' : 'would cover nothing'}
        </span>
      ) : (
        <a href={listOf(namespace, silence)}>
          {verb} {plural(covers, 'event')}
        </a>
      )}
      <span class="dim" title={last > 0 ? dateTime(last * 1000) : ''}>
        held back {plural(suppressed, 'notification')}
        {last > 0 && `, last ${ago(last, now.value)}`}
      </span>
    </div>
  );
};

const endWords: Readonly<Record<EndedSilence['why'], string>> = {
  timeOver: 'its time was over',
  resolved: 'its incident was resolved',
  cleared: 'lifted',
};

const Ended = ({ ended }: { ended: readonly EndedSilence[] }) => {
  const drawn = useSignal(10);
  if (ended.length === 0) return null;
  return (
    <section class="ended">
      <h2>Ended lately</h2>
      <ul class="silences">
        {ended.slice(0, drawn.value).map((one) => (
          <li key={`${nameOf(one)} ${one.at}`}>
            <div class="what">
              <b class="mono">{nameOf(one)}</b>
              <span>{one.silence.reason}</span>
            </div>
            <div class="until">
              <span>
                {endWords[one.why]}
                {one.by !== '' && ` by ${one.by}`}
              </span>
              <span class="dim" title={dateTime(one.at * 1000)}>
                {ago(one.at, now.value)} · held back {plural(one.suppressed, 'notification')}
              </span>
            </div>
          </li>
        ))}
      </ul>
      {ended.length > drawn.value && (
        <button type="button" onClick={() => (drawn.value = ended.length)}>
          {plural(ended.length - drawn.value, 'more', 'more')}
        </button>
      )}
    </section>
  );
};
