// event trace: what the pipelines did with the last event of a check, filter by filter. event history: the results before it.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { itemsAt } from '../kinds/cells.ts';
import { eventCommands } from '../kinds/watching.ts';
import { asJson } from '../output/documents.ts';
import { details, table } from '../output/table.ts';
import { manyLines } from '../output/terminal-text.ts';
import { at, shown, timestamp } from '../output/values.ts';
import type { Session } from '../session.ts';
import { describing, onePath, read } from './resources.ts';

const ms = (value: unknown): string => `${shown(value)} ms`;
const indented = (text: string, by: string): string => `${by}${manyLines(text).replaceAll('\n', `\n${by}`)}`;

const filterRow = (step: Json): readonly string[] => [
  'filter',
  shown(step.name),
  `${shown(step.verdict)}${step.stopped === true ? ', stopped here' : ''}`,
  shown(step.why),
  ms(step.durationMs),
];

const rowsOf = (workflow: Json): readonly (readonly string[])[] => {
  const { mutator, handler } = workflow as { mutator?: Json; handler?: Json };
  return [
    ...itemsAt(workflow, 'filters').map(filterRow),
    ...(mutator === undefined
      ? []
      : [
          [
            'mutator',
            shown(mutator.name),
            mutator.error === undefined ? 'done' : 'failed',
            mutator.error === undefined ? `${shown(mutator.bytes)} bytes` : shown(mutator.error),
            ms(mutator.durationMs),
          ],
        ]),
    ...(handler === undefined
      ? []
      : [
          [
            `handler (${shown(handler.type)})`,
            shown(handler.name),
            `${shown(handler.outcome)}${handler.status === undefined ? '' : `, exit ${shown(handler.status)}`}`,
            shown(handler.why),
            ms(handler.durationMs),
          ],
        ]),
  ];
};

const showWorkflow = (session: Session, workflow: Json): void => {
  const name = [workflow.pipeline, workflow.name].map(shown).filter((word) => word !== '');
  session.print(
    `\n${name.join(' / ')}: ${shown(workflow.outcome)}${workflow.why ? ` (${shown(workflow.why)})` : ''}`,
  );
  const rows = rowsOf(workflow);
  if (rows.length > 0) session.print(table(['Step', 'Name', 'Verdict', 'Why', 'Took'], rows, session.look));
  const output = at(workflow, 'handler.output');
  if (typeof output === 'string' && output !== '')
    session.print(`output of the handler:\n${indented(output, '  ')}`);
};

export const traceEvent: Work = async (session, name) => {
  const api = await session.api();
  const path = `${onePath(session, eventCommands, name)}/trace`;
  const trace = (await describing(
    session,
    `trace of event "${name.join('/')}"`,
    true,
    api.get(path),
  )) as Json | null;
  if (trace === null) throw new CtlError('no event of this check went through the pipelines yet');
  if (session.settings.format !== 'tabular') return session.print(asJson(trace));
  session.print(
    details(
      name.join(' - '),
      [
        ['Event', shown(at(trace, 'event.id'))],
        ['Timestamp', timestamp(at(trace, 'event.timestamp'))],
        ['Took', ms(trace.durationMs)],
        ['Summary', shown(trace.summary)],
        ...(trace.retry === true ? ([['Retry', 'an outage; it is tried again']] as const) : []),
      ],
      session.look,
    ),
  );
  for (const workflow of itemsAt(trace, 'workflows')) showWorkflow(session, workflow);
  for (const { skipped, why } of itemsAt(trace, 'skipped'))
    session.print(`\nskipped: ${shown(skipped)}: ${shown(why)}`);
};

const severityWords = ['passing', 'warning', 'critical'];

export const eventHistory: Work = async (session, name) => {
  const event = await read(session, eventCommands, name);
  const check = event.check as Json | undefined;
  if (check === undefined) throw new CtlError('this event has no check, so it has no history');
  const history = itemsAt(check, 'history');
  if (session.settings.format !== 'tabular') return session.print(asJson(history));
  const rows = history.map(({ executed, status, flapping }) => [
    timestamp(executed),
    shown(status),
    severityWords[Number(status)] ?? 'unknown',
    flapping === true ? 'true' : '',
  ]);
  session.print(table(['Executed', 'Status', 'Severity', 'Flapping'], rows, session.look));
  session.print(
    `${shown(check.state)}; occurrences ${shown(check.occurrences)}, at most ${shown(check.occurrences_watermark)}; state change ${shown(check.total_state_change)} %; last passed ${timestamp(check.last_ok)}`,
  );
};
