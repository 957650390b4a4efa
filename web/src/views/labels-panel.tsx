// Labels and annotations of a check and its entity, with every address in them to follow.
import type { Metadata, MonEvent } from '../lib/resources.ts';
import { Facts, Panel } from '../parts/bits.tsx';
import { Away, LinkedText } from '../parts/linked-text.tsx';

type Row = readonly [name: string, value: string];

const rowsOf = (of: Readonly<Record<string, string>> | null | undefined): readonly Row[] =>
  Object.entries(of ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));

const isAddress = (text: string): boolean => /^https?:\/\/\S+$/i.test(text.trim());

/** What the check, then its entity, says to read first: `runbook`, `mon.io/runbook_url`, `dashboard` and the like. */
const helpOf = ({ check, entity }: MonEvent): readonly Row[] => {
  const found = new Map<string, string>();
  for (const { annotations, labels } of [check.metadata, entity.metadata] as const)
    for (const [name, value] of [...rowsOf(annotations), ...rowsOf(labels)]) {
      const word = /(runbook|playbook|dashboard|wiki)/i.exec(name)?.[1]?.toLowerCase();
      if (word !== undefined && isAddress(value) && !found.has(word)) found.set(word, value.trim());
    }
  return [...found];
};

export const HelpLinks = ({ event }: { event: MonEvent }) => (
  <>
    {helpOf(event).map(([word, address]) => (
      <Away key={word} to={address}>
        <span class="button-like">
          {word} <span aria-hidden="true">↗</span>
        </span>
      </Away>
    ))}
  </>
);

export const LabelsPanel = ({ event: { check, entity } }: { event: MonEvent }) => {
  const groups = [
    ['Check', check.metadata],
    ['Entity', entity.metadata],
  ] as const satisfies readonly (readonly [string, Metadata])[];
  const filled = groups.flatMap(([title, { labels, annotations }]) =>
    (
      [
        [`${title}: labels`, rowsOf(labels)],
        [`${title}: annotations`, rowsOf(annotations)],
      ] as const
    ).filter(([, rows]) => rows.length > 0),
  );
  if (filled.length === 0) return null;
  return (
    <Panel title="Labels and annotations">
      {filled.map(([title, rows]) => (
        <section key={title} class="labelled">
          <h3>{title}</h3>
          <Facts
            rows={rows.map(([name, value]) => [name, <LinkedText key={name} text={value} />] as const)}
          />
        </section>
      ))}
    </Panel>
  );
};
