// Aggregates: results of many clients under one name, counted by severity.
import { attributesOf } from '../../model/earlier/attributes.ts';
import type { CheckEvent } from '../../model/event/event.ts';

export const severities = ['ok', 'warning', 'critical', 'unknown'] as const;
export type Severity = (typeof severities)[number];

export const isSeverity = (word: string): word is Severity => severities.some((one) => one === word);

const severityOf = (status: number): Severity => severities[status] ?? 'unknown';

/** The aggregates a result belongs to: `aggregates`, else `aggregate`, which is a name or `true` for that of the check. */
export const aggregatesOf = ({ check }: CheckEvent): readonly string[] => {
  const { aggregates, aggregate } = attributesOf(check.metadata);
  if (Array.isArray(aggregates)) return aggregates.filter((one) => typeof one === 'string');
  if (typeof aggregate === 'string') return [aggregate];
  return aggregate === true ? [check.metadata.name] : [];
};

const clientOf = (event: CheckEvent): string => event.entity.metadata.name;
const checkOf = (event: CheckEvent): string => event.check.metadata.name;

/** Texts of `keyOf`, each once and in order, with those of `partOf` that go with it. */
const grouped = <T>(
  events: readonly CheckEvent[],
  keyOf: (event: CheckEvent) => string,
  partOf: (event: CheckEvent) => T,
): [string, T[]][] => {
  const groups = new Map<string, T[]>();
  for (const event of events) {
    const parts = groups.get(keyOf(event));
    if (parts === undefined) groups.set(keyOf(event), [partOf(event)]);
    else parts.push(partOf(event));
  }
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
};

/** Without those that are older than `maxAgeSeconds`. */
const fresh = (
  events: readonly CheckEvent[],
  maxAgeSeconds: number | undefined,
  nowMs: number,
): readonly CheckEvent[] =>
  maxAgeSeconds === undefined
    ? events
    : events.filter(({ check }) => Math.floor(nowMs / 1000) - check.executed <= maxAgeSeconds);

export const aggregateSummary = (
  events: readonly CheckEvent[],
  maxAgeSeconds: number | undefined,
  nowMs: number,
) => {
  const counted = fresh(events, maxAgeSeconds, nowMs);
  const count = (severity: Severity) =>
    counted.filter(({ check }) => severityOf(check.status) === severity).length;
  return {
    clients: new Set(events.map(clientOf)).size,
    checks: new Set(events.map(checkOf)).size,
    results: {
      ...Object.fromEntries(severities.map((severity) => [severity, count(severity)])),
      total: counted.length,
      stale: events.length - counted.length,
    },
  };
};

export const aggregateClients = (events: readonly CheckEvent[]) =>
  grouped(events, clientOf, checkOf).map(([name, checks]) => ({ name, checks }));

export const aggregateChecks = (events: readonly CheckEvent[]) =>
  grouped(events, checkOf, clientOf).map(([name, clients]) => ({ name, clients }));

/** What the results of one severity say: for each check the different outputs, and who gave them. */
export const aggregateOutputs = (
  events: readonly CheckEvent[],
  severity: Severity,
  maxAgeSeconds: number | undefined,
  nowMs: number,
) => {
  const wanted = fresh(events, maxAgeSeconds, nowMs).filter(
    ({ check }) => severityOf(check.status) === severity,
  );
  return grouped(wanted, checkOf, (event) => event).map(([check, some]) => ({
    check,
    summary: grouped(some, (event) => event.check.output, clientOf).map(([output, clients]) => ({
      output,
      total: clients.length,
      clients,
    })),
  }));
};
