// The entity that stands for a client: what the client says of itself, laid over what operators made of the entity. A
// client replaces only what it said the last time; labels, annotations and subscriptions of others stay.
import { attributesAnnotation, attributesOf, clientLabel } from '../../model/earlier/attributes.ts';
import type { Json } from '../../model/earlier/json.ts';
import { labelsOf, ownOfClient } from '../../model/earlier/labels.ts';
import { redactClient } from '../../model/earlier/redaction.ts';
import { blankEntity, type Entity, emptySystem } from '../../model/entity/entity.ts';
import { leftOver, strings, text, whole } from './client-event-rule.ts';
import type { ClientRecord, ClientReport } from './client-facts.ts';

/** Attributes that have a field of their own in an entity, and the signature, which is nobody else's business. */
const notAnnotated: ReadonlySet<string> = new Set(['name', 'version', 'timestamp', 'signature']);

/** The annotation repeats the subscriptions: it is how those of the client are told from those an operator added. */
const attributesText = (record: ClientRecord): string => leftOver(redactClient(record), notAnnotated) ?? '{}';

const labelsFrom = (attributes: Json): Record<string, string> =>
  labelsOf(
    ownOfClient(Object.fromEntries(Object.entries(attributes).filter(([key]) => !notAnnotated.has(key)))),
  );

/** A label that says what the client said the last time is the client's; others are an operator's, and win. */
const mergedLabels = (stored: Entity['metadata'], reported: Entity['metadata']): Record<string, string> => {
  const before = labelsFrom(attributesOf(stored));
  const kept = Object.entries(stored.labels ?? {}).filter(([name, value]) => before[name] !== value);
  return { ...reported.labels, ...Object.fromEntries(kept), [clientLabel]: 'true' };
};

export const clientEntity = (record: ClientRecord, namespace: string): Entity => {
  const name = text(record['name']);
  return {
    ...blankEntity(namespace, name, 'proxy'),
    metadata: {
      name,
      namespace,
      labels: { ...labelsFrom(redactClient(record)), [clientLabel]: 'true' },
      annotations: { [attributesAnnotation]: attributesText(record) },
    },
    subscriptions: strings(record['subscriptions']),
    system: { ...emptySystem(), hostname: name },
    last_seen: whole(record['timestamp']),
    mon_agent_version: text(record['version']),
  };
};

const own = (report: ClientReport, namespace: string): Entity => {
  const entity = clientEntity(report.record, namespace);
  const { heardAtMs } = report;
  return heardAtMs === null ? entity : { ...entity, last_seen: Math.floor(heardAtMs / 1000) };
};

/** `stored` is null for an entity nobody has heard of. */
export const reportedEntity = (stored: Entity | null, report: ClientReport, namespace: string): Entity => {
  const reported = own(report, namespace);
  if (stored === null) return reported;
  const { metadata, subscriptions, system } = stored;
  const before = strings(attributesOf(metadata)['subscriptions']);
  const added = subscriptions.filter((subscription) => !before.includes(subscription));
  if (report.isMadeUp)
    return {
      ...stored,
      subscriptions: [...new Set([...subscriptions, ...reported.subscriptions])],
      metadata: {
        ...metadata,
        labels: { ...reported.metadata.labels, ...metadata.labels, [clientLabel]: 'true' },
        annotations: { ...reported.metadata.annotations, ...metadata.annotations },
      },
    };
  return {
    ...stored,
    subscriptions: [...new Set([...reported.subscriptions, ...added])],
    metadata: {
      ...metadata,
      labels: mergedLabels(metadata, reported.metadata),
      annotations: { ...metadata.annotations, ...reported.metadata.annotations },
    },
    system: system.hostname === '' ? { ...system, hostname: metadata.name } : system,
    last_seen: report.heardAtMs === null ? stored.last_seen : reported.last_seen,
    mon_agent_version: reported.mon_agent_version,
  };
};
