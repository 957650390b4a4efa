// How the backend itself is doing: health, loop lag, commits, throughput. The last few minutes, kept by this page.
import { signal } from '@preact/signals';
import { getJson, inspect } from '../lib/api.ts';
import { setBackendTime } from '../lib/clock.ts';
import { bytes, duration, millis } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { Facts, Panel, Problem } from '../parts/bits.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { StatusWord } from '../parts/status.tsx';

interface System {
  readonly nowMs: number;
  readonly uptimeSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly watchedActors: number;
  readonly streams: number;
  readonly gauges: Readonly<Record<string, number>>;
}
interface Health {
  readonly ClusterHealth:
    | readonly { readonly Name: string; readonly Healthy: boolean; readonly Err: string }[]
    | null;
}

const everyMs = 1_000;
const keptSamples = 300;
const samples = signal<readonly System[]>([]);

export const SystemPage = () => {
  const system = usePolled<System>('system', everyMs, async () => {
    const found = await getJson<System>(inspect('system'));
    setBackendTime(found.nowMs);
    samples.value = [...samples.value, found].slice(-keptSamples);
    return found;
  });
  const health = usePolled<Health>('health', 5_000, () => getJson('/health'));
  const version = usePolled<Record<string, unknown>>('version', 600_000, () => getJson('/version'));
  const found = system.data ?? samples.value.at(-1);
  return (
    <>
      <header class="page-head">
        <h1>System</h1>
        {found !== undefined && <span class="dim">up {duration(found.uptimeSeconds)}</span>}
      </header>
      {system.error !== undefined && <Problem text={system.error} again={system.again} />}
      {found !== undefined && (
        <div class="gauges">
          {main.filter((name) => name in found.gauges).map((name) => gaugeOf(name, samples.value))}
          <Gauge name="memory" values={samples.value.map((one) => one.rssBytes)} tell={bytes} />
          <Gauge name="heap" values={samples.value.map((one) => one.heapBytes)} tell={bytes} />
        </div>
      )}
      <div class="columns">
        <Panel title="Health">
          <ul class="plain">
            {health.data?.ClusterHealth?.map((member) => (
              <li key={member.Name} class="row">
                <StatusWord status={member.Healthy ? 0 : 2} /> {member.Name} {member.Err}
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title="About">
          <Facts
            rows={[
              ['version', String(version.data?.['mon_backend'] ?? '…')],
              ['watched actors', String(found?.watchedActors ?? 0)],
              ['open streams', String(found?.streams ?? 0)],
            ]}
          />
        </Panel>
      </div>
      <Panel title="More figures" class="many">
        <Facts
          rows={Object.entries(found?.gauges ?? {})
            .filter(([name]) => !main.includes(name))
            .map(([name, value]): [string, string] => [wordsOf(name), valueText(name, value)])}
        />
      </Panel>
    </>
  );
};

/** What tells how the backend is doing at a glance; the rest is a table. */
const main: readonly string[] = [
  'lagMs',
  'longestTurnMs',
  'p99CommitMs',
  'queueDepth',
  'messages',
  'commits',
  'deliveriesRunning',
  'deliveriesWaiting',
  'sessions',
  'actors',
];

const growing = new Set(['messages', 'commits', 'writes', 'committed', 'deliveries', 'events']);

/** What only grows is shown by how fast. */
const gaugeOf = (name: string, history: readonly System[]) => {
  const values = history.map((one) => one.gauges[name] ?? 0);
  if (name.endsWith('Total') || growing.has(name)) {
    const rates = values.map((value, index) =>
      rate(value, values[index - 1], history[index], history[index - 1]),
    );
    return (
      <Gauge
        key={name}
        name={`${words(name.replace(/Total$/, ''))} a second`}
        values={rates}
        tell={(value) => value.toFixed(1)}
      />
    );
  }
  return <Gauge key={name} name={wordsOf(name)} values={values} tell={(value) => valueText(name, value)} />;
};

const wordsOf = (name: string): string => (name === 'lagMs' ? 'loop lag' : words(name.replace(/Ms$/, '')));

const valueText = (name: string, value: number): string =>
  name.endsWith('Ms') ? millis(value) : value.toLocaleString('en', { maximumFractionDigits: 1 });

const rate = (
  value: number,
  before: number | undefined,
  at: System | undefined,
  atBefore: System | undefined,
): number => {
  const seconds = ((at?.nowMs ?? 0) - (atBefore?.nowMs ?? 0)) / 1000;
  return before === undefined || seconds <= 0 ? 0 : Math.max(0, (value - before) / seconds);
};

const words = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

interface GaugeProps {
  readonly name: string;
  readonly values: readonly number[];
  readonly tell: (value: number) => string;
}

const Gauge = ({ name, values, tell }: GaugeProps) => (
  <div class="gauge">
    <span class="dim">{name}</span>
    <b class="num">{tell(values.at(-1) ?? 0)}</b>
    <Sparkline values={values} label={name} tell={tell} />
  </div>
);
