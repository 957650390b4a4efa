// Parts that several definitions of the earlier generation share: names, attributes as labels, tokens, windows of time.
import { attributesAnnotation } from '../../../model/earlier/attributes.ts';
import { isMap, type Json } from '../../../model/earlier/json.ts';
import { labelOf, labelsOf } from '../../../model/earlier/labels.ts';
import { readClockTime } from '../../../model/earlier/time-window-rules.ts';
import { tokenPathsAnnotation, tokenPathsOf } from '../../../model/earlier/tokens.ts';
import { weekdays } from '../../../model/silence/window-words.ts';

export interface Resource {
  readonly type: string;
  readonly api_version: 'core/v2';
  readonly metadata: Json;
  readonly spec: Json;
}

export const resource = (type: string, metadata: Json, spec: Json): Resource => ({
  type,
  api_version: 'core/v2',
  metadata,
  spec,
});

export const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.map(String) : typeof value === 'string' ? [value] : [];

/** Labels and annotations of a definition: its own attributes, and which of them the tokens in its command name. */
export const metadataOf = (name: string, namespace: string, own: Json, command: string): Json => {
  const paths = tokenPathsOf(command);
  const annotations = {
    ...(Object.keys(own).length === 0 ? {} : { [attributesAnnotation]: JSON.stringify(own) }),
    ...(Object.keys(paths).length === 0 ? {} : { [tokenPathsAnnotation]: JSON.stringify(paths) }),
  };
  return {
    name,
    namespace,
    ...(Object.keys(own).length === 0 ? {} : { labels: labelsOf(own) }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
};

/** Where an attribute of an event of the earlier generation is on an event of today, in JavaScript. */
export const eventPath = (path: readonly string[]): string | undefined => {
  const [scope, field = '', ...rest] = path;
  const direct: Readonly<Record<string, readonly string[]>> = {
    check: [
      'name',
      'status',
      'output',
      'interval',
      'command',
      'occurrences',
      'occurrences_watermark',
      'handlers',
      'issued',
      'executed',
      'duration',
      'total_state_change',
      'ttl',
      'timeout',
    ],
    client: ['name', 'subscriptions'],
  };
  if (scope === 'action') return '(event.check.status == 0 ? "resolve" : "create")';
  if (scope === 'occurrences') return 'event.check.occurrences';
  if (scope === 'timestamp') return 'event.timestamp';
  if (scope !== 'check' && scope !== 'client') return undefined;
  const base = scope === 'check' ? 'event.check' : 'event.entity';
  if (rest.length === 0 && direct[scope]?.includes(field))
    return field === 'name' ? `${base}.name` : `${base}.${field}`;
  return `${base}.labels.${labelOf([field, ...rest].join('.'))}`;
};

const clock = (seconds: number): string => {
  const minutes = Math.floor(seconds / 60) % 1440;
  const hour = Math.floor(minutes / 60);
  return `${hour % 12 === 0 ? 12 : hour % 12}:${String(minutes % 60).padStart(2, '0')} ${hour < 12 ? 'AM' : 'PM'}`;
};

interface Window {
  readonly day: string;
  /** Seconds since midnight in UTC. */
  readonly begin: number;
  readonly end: number;
}

export interface Windows {
  readonly windows: readonly Window[];
  /** Why a window was left out. */
  readonly wrong: readonly string[];
  /** True when a time named no zone: it was that of the server. */
  readonly local: boolean;
}

/** `{days: {all: [{begin, end}]}}` */
export const readWindows = (value: unknown): Windows => {
  const windows: Window[] = [];
  const wrong: string[] = [];
  let local = false;
  const days = isMap(value) && isMap(value.days) ? value.days : {};
  for (const [day, list] of Object.entries(days)) {
    for (const one of Array.isArray(list) ? list : []) {
      const [begin, end] = isMap(one) ? [readClockTime(one.begin), readClockTime(one.end)] : [null, null];
      if (
        (day !== 'all' && !(weekdays as readonly string[]).includes(day)) ||
        begin === null ||
        end === null
      ) {
        wrong.push(`${day}: ${JSON.stringify(one)}`);
        continue;
      }
      local ||= begin.offsetMinutes === null || end.offsetMinutes === null;
      const utc = ({ seconds, offsetMinutes }: { seconds: number; offsetMinutes: number | null }): number =>
        (((seconds - (offsetMinutes ?? 0) * 60) % 86_400) + 86_400) % 86_400;
      windows.push({ day, begin: utc(begin), end: utc(end) });
    }
  }
  return { windows, wrong, local };
};

/** As `when` of a filter. */
export const asWhen = (windows: readonly Window[]): Json => {
  const days: Record<string, Json[]> = {};
  for (const { day, begin, end } of windows)
    days[day] = [...(days[day] ?? []), { begin: clock(begin), end: clock(end) }];
  return { days };
};

/** A Sunday, so that each weekday has a date of its own. */
const firstDayMs = Date.UTC(2024, 0, 7);

/** As `subdues` of a check. */
export const asSubdues = (windows: readonly Window[]): readonly Json[] =>
  windows.map(({ day, begin, end }) => {
    const startMs = firstDayMs + Math.max(0, (weekdays as readonly string[]).indexOf(day)) * 86_400_000;
    const lastMs = end > begin ? startMs : startMs + 86_400_000;
    const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
    return {
      begin: iso(startMs + begin * 1000),
      end: iso(lastMs + end * 1000),
      repeat: [day === 'all' ? 'daily' : `${day}s`],
    };
  });
