// Problems of the configuration, put together: the book of what can't work, who could run a check, and the event about the
// platform that lasts as long as there are any.
import type { CheckConfig } from '../../model/check/check.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { defaultNamespace } from '../../model/resource/names.ts';
import type { Problem } from '../../model/resource/problems.ts';
import type { EventIndex } from '../events/event-index.ts';
import type { Clients } from '../families/client/clients.ts';
import type { Sessions } from '../families/session/sessions.ts';
import type { Pipelines } from '../pipelines/pipelines.ts';
import { type Finding, platformNamespace } from '../platform/platform-events.ts';
import { dependencyProblems } from '../problems/dependency-problems.ts';
import { LastLook, untilNextLookMs } from '../problems/last-look.ts';
import { type FoundProblems, ProblemBook } from '../problems/problem-book.ts';
import { tryExpressions } from '../problems/try-expressions.ts';
import type { Withheld } from '../problems/withheld.ts';
import type { Resource, ResourceId } from '../resources/resource-table.ts';
import type { Dependencies } from './dependencies.ts';

/** The check of the platform's own events about the configuration. */
export const configurationCheck = 'configuration';

/** Most problems told in one event. */
const maxToldProblems = 20;

export interface ProblemNeighbours {
  readonly pipelines: Pipelines;
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly withheld: Withheld;
  readonly events: Pick<EventIndex, 'get' | 'hasCheck' | 'cycles'>;
  readonly hasEntity: (namespace: string, name: string) => boolean;
  readonly report: (finding: Finding) => Promise<void>;
  /** The last event about the configuration, from before a restart perhaps. */
  readonly lastEvent: () => Promise<CheckEvent | undefined>;
}

export interface Problems {
  readonly book: ProblemBook;
  /** Why nobody runs a check now if it is asked for; undefined if somebody does. */
  readonly nobodyRuns: (check: CheckConfig) => string | undefined;
  start(): void;
  stop(): void;
}

const nameOf = ({ segment, namespace, name }: ResourceId): string =>
  namespace === '' ? `${segment} ${name}` : `${segment} ${namespace}/${name}`;

const findingOf = (found: readonly FoundProblems[]): Finding => {
  const lines = found.flatMap(({ id, problems }) =>
    problems.map(({ message }) => `${nameOf(id)}: ${message}`),
  );
  const shown = lines.sort().slice(0, maxToldProblems);
  const left = lines.length - shown.length;
  return {
    check: configurationCheck,
    status: lines.length === 0 ? 0 : 1,
    output:
      lines.length === 0
        ? 'everything that is defined can work'
        : [...shown, ...(left > 0 ? [`and ${left} more`] : [])].join('\n'),
  };
};

/** Whether the last event, which an earlier process may have left, says the same. Without one all is well. */
const isTold = ({ status, output }: Finding, last: CheckEvent | undefined): boolean =>
  status === 0
    ? (last?.check.status ?? 0) === 0
    : last?.check.status === status && last.check.output === output;

/** Subscriptions a problem names: a check may have 100,000, and its problem is logged for as long as it lasts. */
const maxNamedSubscriptions = 5;

/** Whether clients of the earlier generation share a subscription with a check. */
const clientsRun = (clients: Clients, { metadata, subscriptions }: CheckConfig): boolean =>
  metadata.namespace === defaultNamespace &&
  clients.list().some(({ record }) => {
    const held = record['subscriptions'];
    const all = [`client:${String(record['name'])}`, ...(Array.isArray(held) ? held.map(String) : [])];
    return all.some((name) => subscriptions.includes(name.replace(/^roundrobin:/, '')));
  });

export const composeProblems = (
  { runtime, table, log, name }: Dependencies,
  { pipelines, sessions, clients, withheld, events, hasEntity, report, lastEvent }: ProblemNeighbours,
): Problems => {
  const { clock, faults } = runtime;
  const onFault = (error: unknown): void => faults.report('looking for problems of the configuration', error);

  const nobodyRuns = (check: CheckConfig): string | undefined => {
    const { subscriptions, metadata } = check;
    if (subscriptions.length === 0) return undefined;
    if (sessions.reaches(metadata.namespace ?? defaultNamespace, subscriptions)) return undefined;
    if (clientsRun(clients, check)) return undefined;
    const named = subscriptions.slice(0, maxNamedSubscriptions).join(', ');
    const more = subscriptions.length - maxNamedSubscriptions;
    const wanted =
      subscriptions.length === 1
        ? `the subscription ${named}`
        : `one of the subscriptions ${named}${more > 0 ? ` and ${more} more` : ''}`;
    return `subscriptions: no connected agent has ${wanted}, so nobody runs it now`;
  };
  const known = {
    hasEntity,
    hasEvent: (key: string) => events.get(key) !== undefined,
    knowsCheck: (namespace: string, name: string) =>
      table.get('checks', namespace, name) !== undefined || events.hasCheck(namespace, name),
  };
  const momentary = (id: ResourceId, resource: Resource): readonly Problem[] => {
    const dependencies = dependencyProblems(id, resource, { ...known, cycles: () => events.cycles() });
    if (id.segment !== 'checks') return dependencies;
    const check = resource as unknown as CheckConfig;
    const message = check.publish ? nobodyRuns(check) : undefined;
    return [
      ...dependencies,
      ...withheld.problems(check),
      ...(message === undefined ? [] : [{ why: 'nobodyRuns', field: 'subscriptions', message } as const]),
    ];
  };

  const book = new ProblemBook({
    table,
    tryExpressions: (segment, resource) =>
      tryExpressions(pipelines.expressions, segment, resource).catch((error: unknown) => {
        onFault(error);
        return [];
      }),
    momentary,
    onFault,
  });
  table.watch('checks', ({ type, namespace, name }) => {
    if (type === 'deleted') withheld.forget(namespace, name);
  });

  let disarm: (() => void) | undefined;
  let told: string | undefined;
  /** Told is what two looks in a row find, so that what passes at once raises nothing. */
  const lastLook = new LastLook({ table, name, nowMs: () => clock.wallMs(), onFault });

  const look = async (): Promise<void> => {
    const finding = findingOf(book.all().filter(({ id }) => id.namespace !== platformNamespace));
    if (!lastLook.repeats(finding.output, finding.status === 0) || finding.output === told) return;
    const isKnown = told === undefined && isTold(finding, await lastEvent());
    told = finding.output;
    if (isKnown) return;
    if (finding.status === 0) log.info({}, finding.output);
    else log.warn({ problems: finding.output.split('\n') }, 'some definitions cannot work as they stand');
    await report(finding);
  };
  const arm = (isFirst = false): void => {
    disarm = clock.setTimer(
      () => {
        arm();
        look().catch(onFault);
      },
      untilNextLookMs(clock.wallMs(), isFirst),
    );
  };
  return {
    book,
    nobodyRuns,
    start() {
      book.start();
      arm(true);
    },
    stop() {
      disarm?.();
    },
  };
};
