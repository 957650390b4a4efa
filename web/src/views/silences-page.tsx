// Silences: what is quiet, who said so, why, until when, and what each one covers right now.
import { getJson, getPage, inNamespace } from '../lib/api.ts';
import { now } from '../lib/clock.ts';
import { keyOf } from '../lib/event-key.ts';
import { dateTime, duration, plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { attempt } from '../lib/notices.ts';
import { covers, deleteSilence, type MonEvent, type Silence } from '../lib/resources.ts';
import { Empty, Problem } from '../parts/bits.tsx';
import { silenceFor } from './silence-dialog.tsx';

export const SilencesPage = ({ namespace }: { namespace: string }) => {
  const silences = usePolled<Silence[]>(`silenced/${namespace}`, 3_000, () =>
    getJson(inNamespace(namespace, 'silenced')),
  );
  const events = usePolled(`events/${namespace}`, 5_000, () =>
    getPage<MonEvent>(inNamespace(namespace, 'events'), { limit: '1000' }),
  );
  return (
    <>
      <header class="page-head">
        <h1>Silences</h1>
        <button type="button" class="primary" onClick={() => silenceFor(namespace, [], silences.again)}>
          New silence…
        </button>
      </header>
      {silences.error !== undefined && <Problem text={silences.error} again={silences.again} />}
      {silences.data?.length === 0 && <Empty>Nothing is silenced in this namespace.</Empty>}
      <ul class="silences">
        {silences.data?.map((silence) => (
          <Row
            key={silence.metadata.name}
            silence={silence}
            hit={(events.data?.items ?? []).filter((event) => covers(silence, event))}
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
    </>
  );
};

const Row = ({
  silence,
  hit,
  onLift,
}: {
  silence: Silence;
  hit: readonly MonEvent[];
  onLift: () => void;
}) => {
  const endMs = silence.expire_at * 1000;
  const left = endMs > 0 ? (endMs - now.value) / 1000 : undefined;
  const notYet = silence.begin * 1000 > now.value;
  return (
    <li>
      <div class="what">
        <b class="mono">{silence.metadata.name}</b>
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
        <span class={hit.length === 0 ? 'dim' : ''} title={hit.slice(0, 30).map(keyOf).join('\n')}>
          {hit.length === 0 ? 'covers nothing now' : `covers ${plural(hit.length, 'event')}`}
        </span>
      </div>
      <button type="button" onClick={onLift}>
        Lift
      </button>
    </li>
  );
};
