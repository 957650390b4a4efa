// Extracts metrics from a check's output and applies thresholds to its status.
import type { CheckEvent } from '../../model/event/event.ts';
import type { Logger } from '../../program/log.ts';
import { type Clock, nowSeconds } from '../clock.ts';
import { maxMetricPoints } from '../limits.ts';
import type { Extract, Extraction } from '../metrics/extraction.ts';
import { graphitePlaintext } from '../metrics/graphite.ts';
import { influxdbLine } from '../metrics/influxdb.ts';
import { nagiosPerfdata } from '../metrics/nagios.ts';
import { opentsdbLine } from '../metrics/opentsdb.ts';
import { prometheusText } from '../metrics/prometheus.ts';
import { judgeThresholds } from '../metrics/thresholds.ts';

const readers: ReadonlyMap<string, Extract> = new Map([
  ['graphite_plaintext', graphitePlaintext],
  ['influxdb_line', influxdbLine],
  ['nagios_perfdata', nagiosPerfdata],
  ['opentsdb_line', opentsdbLine],
  ['prometheus_text', prometheusText],
]);

/** More unreadable lines than this are counted instead of reported individually. */
const maxToldLines = 5;

const tell = ({ bad, points }: Extraction, event: CheckEvent, log: Logger): void => {
  const about = { check: event.check.metadata.name, namespace: event.check.metadata.namespace };
  for (const { line, why } of bad.slice(0, maxToldLines))
    log.error(
      { ...about, line: line.slice(0, 200), error: why },
      'unable to extract metric from check output',
    );
  if (bad.length > maxToldLines)
    log.error({ ...about, lines: bad.length }, 'unable to extract metrics from many lines of check output');
  if (points.length > maxMetricPoints)
    log.error({ ...about, points: points.length, kept: maxMetricPoints }, 'too many metrics in check output');
};

/** The event with its metrics, and the status after thresholds. */
export const measure = (event: CheckEvent, clock: Clock, log: Logger): CheckEvent => {
  const { check } = event;
  const handlers = check.output_metric_handlers;
  if (check.output_metric_format === '' && (handlers === null || handlers.length === 0)) return event;
  const facts = {
    tags: check.output_metric_tags ?? [],
    executed: check.executed,
    nowSeconds: nowSeconds(clock),
  };
  const read = readers.get(check.output_metric_format);
  const extraction: Extraction = read === undefined ? { points: [], bad: [] } : read(check.output, facts);
  tell(extraction, event, log);
  const points = extraction.points.slice(0, maxMetricPoints);
  const measured = { ...event, metrics: { handlers, points: points.length === 0 ? null : points } };
  // Thresholds apply only if the command itself reported OK.
  if (check.status !== 0 || points.length === 0) return measured;
  const judgement = judgeThresholds(check.output_metric_thresholds ?? [], points);
  if (judgement === null) return measured;
  const annotations = { ...event.metadata.annotations, ...judgement.annotations };
  return {
    ...measured,
    check: { ...check, status: judgement.status },
    metadata: { ...event.metadata, annotations },
  };
};
