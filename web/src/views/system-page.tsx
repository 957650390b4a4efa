// How the backend itself is doing: health, loop lag, commits, throughput. The last few minutes, kept by this page.
import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { getJson, inspect } from '../lib/api.ts';
import { setBackendTime } from '../lib/clock.ts';
import { count, type FigureGroup, figureGroups, linesOf, type System } from '../lib/figures.ts';
import { clockTime, duration, millis } from '../lib/format.ts';
import { lazyView } from '../lib/lazy-view.tsx';
import { usePolled } from '../lib/live.ts';
import { useTitle } from '../lib/title.ts';
import { Facts, Panel, Problem } from '../parts/bits.tsx';
import { GraphLegend } from '../parts/graph-legend.tsx';
import { StatusWord } from '../parts/status.tsx';

const TimeGraph = lazyView(() => import('../parts/time-graph.tsx').then((file) => file.TimeGraph));

interface Health {
  readonly ClusterHealth:
    | readonly { readonly Name: string; readonly Healthy: boolean; readonly Err: string }[]
    | null;
}

const everyMs = 1_000;
const keptSamples = 300;
const samples = signal<readonly System[]>([]);

export const SystemPage = () => {
  useTitle('System');
  const system = usePolled<System>('system', everyMs, async () => {
    const found = await getJson<System>(inspect('system'));
    setBackendTime(found.nowMs);
    // Time runs forward on a graph, also where the backend's clock was set back.
    const earlier = samples.value.filter((one) => one.nowMs < found.nowMs);
    samples.value = [...earlier, found].slice(-keptSamples);
    return found;
  });
  const health = usePolled<Health>('health', 5_000, () => getJson('/health'));
  const version = usePolled<Record<string, unknown>>('version', 600_000, () => getJson('/version'));
  /** The moment all graphs show, while somebody points at one of them. */
  const pointed = useSignal<number | undefined>(undefined);
  const found = system.data ?? samples.value.at(-1);
  return (
    <>
      <header class="page-head">
        <h1>System</h1>
        {found !== undefined && <span class="dim">up {duration(found.uptimeSeconds)}</span>}
      </header>
      {system.error !== undefined && <Problem text={system.error} again={system.again} />}
      <div class="graphs">
        {figureGroups.map((group) => (
          <Graph key={group.title} group={group} samples={samples.value} pointed={pointed} />
        ))}
      </div>
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
      <Panel title="All figures" class="many">
        <Facts
          rows={Object.entries(found?.gauges ?? {}).map(([name, value]): [string, string] => [
            words(name.replace(/Ms$/, '')),
            valueText(name, value),
          ])}
        />
      </Panel>
    </>
  );
};

interface GraphProps {
  readonly group: FigureGroup;
  readonly samples: readonly System[];
  readonly pointed: Signal<number | undefined>;
}

const Graph = ({ group, samples, pointed }: GraphProps) => {
  const { title, tell, steps } = group;
  const lines = useMemo(() => linesOf(group, samples), [group, samples]);
  const times = useMemo(() => samples.map((sample) => sample.nowMs), [samples]);
  if (lines.length === 0) return null;
  const at = pointed.value === undefined ? -1 : times.indexOf(pointed.value);
  return (
    <section class="graph">
      <header>
        <h2>{title}</h2>
        <small class="num">{at < 0 ? 'now' : clockTime(times[at] ?? 0)}</small>
      </header>
      <GraphLegend lines={lines} index={at < 0 ? times.length - 1 : at} tell={tell} />
      <TimeGraph label={title} times={times} lines={lines} tell={tell} steps={steps} pointed={pointed} />
    </section>
  );
};

const valueText = (name: string, value: number): string =>
  name.endsWith('Ms') ? millis(value) : count(value);

const words = (name: string): string => name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
