// top: what the backend is busy with, full screen, refreshed every few seconds.
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient, Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { maxTracesPerPicture, topIntervalSeconds } from '../limits.ts';
import { type Look, table } from '../output/table.ts';
import { cut, textWidth } from '../output/terminal-text.ts';
import { at, shown } from '../output/values.ts';
import type { Session } from '../session.ts';
import { untilInterrupted } from './watch-events.ts';

const root = '/api/inspect/v1';

interface Sample {
  readonly nowMs: number;
  readonly uptimeSeconds: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  readonly gauges: Readonly<Record<string, number>>;
}

interface HandlerTimes {
  runs: number;
  totalMs: number;
  longestMs: number;
  failed: number;
}

/** What is known from one picture to the next. */
interface Memory {
  before: Sample | undefined;
  /** By event: its traces were read. */
  readonly seen: Set<string>;
  readonly handlers: Map<string, HandlerTimes>;
}

/** Most events whose traces are remembered as read. */
const maxSeen = 10_000;

const gap = '   ';

/** Figures that do not fit a line go on in the next. */
const wrapped = (line: string, width: number | undefined): readonly string[] => {
  const lines: string[] = [];
  for (const part of line.split(gap)) {
    const longer = lines.length === 0 ? part : `${lines.at(-1)}${gap}${part}`;
    if (lines.length === 0 || textWidth(longer) > (width ?? Number.POSITIVE_INFINITY)) lines.push(part);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

const perSecond = (now: Sample, before: Sample | undefined, name: string): string => {
  if (before === undefined) return '-';
  const seconds = (now.nowMs - before.nowMs) / 1000;
  return seconds <= 0
    ? '-'
    : `${(((now.gauges[name] ?? 0) - (before.gauges[name] ?? 0)) / seconds).toFixed(1)}/s`;
};

const mib = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MiB`;
const ms = (value: number | undefined): string => `${(value ?? 0).toFixed(1)} ms`;

const figures = (now: Sample, before: Sample | undefined): readonly string[] => {
  const { gauges } = now;
  const value = (name: string): string => String(gauges[name] ?? 0);
  return [
    `up ${now.uptimeSeconds} s   memory ${mib(now.rssBytes)}, heap ${mib(now.heapBytes)}   entities ${value('entities')}   events ${value('events')}   agents ${value('sessions')}`,
    `messages ${perSecond(now, before, 'messages')}   turn p99 ${ms(gauges.turnP99Ms)}   loop lag ${ms(gauges.lagMs)}   mailbox p99 ${value('mailboxDepthP99')}   waiting actors ${value('queueDepth')}   restarts ${value('restarts')}`,
    `commits ${perSecond(now, before, 'commits')}   records ${perSecond(now, before, 'writes')}   last commit ${ms(gauges.lastCommitMs)}   p99 ${ms(gauges.p99CommitMs)}   not yet stored ${value('commitDepth')}   failed ${value('commitFailures')}`,
    `deliveries ${perSecond(now, before, 'delivered')}   running ${value('deliveriesRunning')}   waiting ${value('deliveriesWaiting')}   retrying ${value('deliveriesRetrying')}   dropped ${value('deliveriesDropped')}   checks stopped ${value('checksStopped')}`,
  ];
};

const mailboxes = async (api: ApiClient, rows: number, look: Look): Promise<string> => {
  const { items } = (await api.get(`${root}/actors`, { sort: 'mailbox', limit: String(rows) })) as {
    items: Json[];
  };
  const cells = items.map(({ id, machine, mailbox, handled, restarts }) =>
    [id, machine, mailbox, handled, restarts].map(shown),
  );
  return table(['Fullest Mailboxes', 'Machine', 'Waiting', 'Handled', 'Restarts'], cells, look);
};

/** Failing events by check, those of most entities first. */
const noisiest = (failing: readonly Json[], rows: number, look: Look): string => {
  const checks = new Map<string, { entities: number; change: number; occurrences: number }>();
  for (const event of failing) {
    const name = shown(at(event, 'check.metadata.name'));
    const known = checks.get(name) ?? { entities: 0, change: 0, occurrences: 0 };
    known.entities += 1;
    known.change = Math.max(known.change, Number(at(event, 'check.total_state_change') ?? 0));
    known.occurrences += Number(at(event, 'check.occurrences') ?? 0);
    checks.set(name, known);
  }
  const cells = [...checks]
    .sort(([, one], [, other]) => other.entities - one.entities || other.occurrences - one.occurrences)
    .slice(0, rows)
    .map(([name, { entities, change, occurrences }]) => [
      name,
      String(entities),
      String(occurrences),
      `${change} %`,
    ]);
  return table(['Noisiest Checks', 'Failing On', 'Occurrences', 'State Change'], cells, look);
};

const learnHandlers = async (
  api: ApiClient,
  namespace: string,
  newest: readonly Json[],
  memory: Memory,
): Promise<void> => {
  const keyOf = (event: Json): string => shown(event.id);
  const unread = newest.filter((event) => !memory.seen.has(keyOf(event))).slice(0, maxTracesPerPicture);
  if (memory.seen.size > maxSeen) memory.seen.clear();
  for (const event of unread) {
    memory.seen.add(keyOf(event));
    const parts = [namespace, at(event, 'entity.metadata.name'), at(event, 'check.metadata.name')].map(shown);
    const traces = (await api.get(`${root}/traces/${parts.map(encodeURIComponent).join('/')}`)) as Json[];
    for (const trace of Array.isArray(traces) ? traces : [])
      for (const workflow of (trace.workflows as Json[] | undefined) ?? []) {
        const handler = workflow.handler as Json | undefined;
        if (handler === undefined) continue;
        const times = memory.handlers.get(shown(handler.name)) ?? {
          runs: 0,
          totalMs: 0,
          longestMs: 0,
          failed: 0,
        };
        times.runs += 1;
        times.totalMs += Number(handler.durationMs);
        times.longestMs = Math.max(times.longestMs, Number(handler.durationMs));
        if (handler.outcome !== 'handled') times.failed += 1;
        memory.handlers.set(shown(handler.name), times);
      }
  }
};

const slowest = ({ handlers }: Memory, rows: number, look: Look): string => {
  const cells = [...handlers]
    .sort(([, one], [, other]) => other.totalMs / other.runs - one.totalMs / one.runs)
    .slice(0, rows)
    .map(([name, { runs, totalMs, longestMs, failed }]) => [
      name,
      ms(totalMs / runs),
      ms(longestMs),
      String(runs),
      String(failed),
    ]);
  return table(['Slowest Handlers', 'Mean', 'Longest', 'Seen', 'Failed'], cells, look);
};

const picture = async (session: Session, api: ApiClient, memory: Memory, height: number): Promise<string> => {
  const { namespace, apiUrl } = session.settings;
  const events = `${root}/namespaces/${encodeURIComponent(namespace)}/events`;
  const now = (await api.get(`${root}/system`)) as Sample;
  const { look } = session;
  const totals = figures(now, memory.before).flatMap((line) => wrapped(line, look.width));
  const rows = Math.max(2, Math.floor((height - 10 - totals.length) / 3));
  const failing = (await api.get(events, { state: 'failing', limit: '1000' })) as {
    items: Json[];
    total: number;
    counts: { all: Json };
  };
  const newest = (await api.get(events, { order: 'newest', limit: '50' })) as { items: Json[] };
  await learnHandlers(api, namespace, newest.items, memory);
  const counts = Object.entries(failing.counts.all)
    .map(([state, number]) => `${shown(number)} ${state}`)
    .join(', ');
  const text = [
    `mon-ctl top - ${apiUrl} - namespace ${namespace} - ${new Date(now.nowMs).toISOString().slice(0, 19)}Z`,
    ...totals,
    `events: ${counts}`,
    '',
    noisiest(failing.items, rows, look),
    '',
    slowest(memory, rows, look),
    '',
    await mailboxes(api, rows, look),
  ].join('\n');
  memory.before = now;
  return text;
};

const seconds = (word: unknown): number => {
  const value = word === undefined ? topIntervalSeconds : Number(word);
  if (!(value >= 0.5 && value <= 3600))
    throw new CtlError(`--interval must be 0.5 to 3600 seconds (got "${String(word)}")`);
  return value;
};

/** Waits for the next picture; `q` and Ctrl-C end it. Raw mode hands over keys one by one. */
const untilQuit = (session: Session): { readonly signal: AbortSignal; close(): void } => {
  const quit = new AbortController();
  const input = session.streams.in;
  const onKey = (key: Buffer): void => {
    if (key.includes('q') || key.includes(3)) quit.abort();
  };
  if (input.isTTY) {
    input.setRawMode(true);
    input.on('data', onKey);
  }
  return {
    signal: AbortSignal.any([quit.signal, untilInterrupted(session)]),
    close: () => {
      if (!input.isTTY) return;
      input.off('data', onKey);
      input.setRawMode(false);
      input.pause();
    },
  };
};

const enter = '\u001b[?1049h\u001b[?25l';
const leave = '\u001b[?25h\u001b[?1049l';

export const top: Work = async (session) => {
  const interval = seconds(session.given.interval);
  const { out } = session.streams;
  const api = await session.api();
  const memory: Memory = { before: undefined, seen: new Set(), handlers: new Map() };
  if (session.given.once === 'true' || out.isTTY !== true)
    return session.print(await picture(session, api, memory, 44));
  const keys = untilQuit(session);
  out.write(enter);
  try {
    while (!keys.signal.aborted) {
      const height = out.rows ?? 24;
      const width = out.columns || 80;
      const look = { ...session.look, width };
      const text = await picture({ ...session, look }, api, memory, height);
      const lines = text
        .split('\n')
        .slice(0, height - 1)
        .map((line) => (line.includes('\u001b') ? line : cut(line, width)));
      out.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`);
      await pause(interval * 1000, undefined, { signal: keys.signal }).catch(() => {});
    }
  } finally {
    out.write(leave);
    keys.close();
  }
};
