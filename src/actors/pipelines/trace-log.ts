// What the log says of a delivery: one line, with what became of each workflow and why.
import { type Event, hasCheck } from '../../model/event/event.ts';
import { isResolution } from '../../pipeline/built-in-filters.ts';
import type { Trace } from '../../pipeline/trace.ts';
import type { RuntimeLog } from '../runtime/inspection/facts.ts';

const bad = new Set(['failed', 'timedOut']);

/**
 * Whether somebody should have been told. Every sign of life of an agent names the handler `keepalive`, and its first one
 * the handler `registration`, whether or not they were ever made: that is no news.
 */
const isNews = (event: Event): boolean => {
  if (!hasCheck(event)) return true;
  const { check } = event;
  return check.metadata.name !== 'registration' && (check.status !== 0 || isResolution(check));
};

export const logTrace = (log: RuntimeLog, event: Event, trace: Trace): void => {
  const fields = {
    namespace: event.entity.metadata.namespace,
    entity: event.entity.metadata.name,
    check: hasCheck(event) ? event.check.metadata.name : null,
    event_id: event.id,
    workflows: trace.workflows.map(({ pipeline, name, outcome, why }) => ({ pipeline, name, outcome, why })),
  };
  const text = `event handled: ${trace.summary}`;
  // What the event names can't run at all: a handler that does not exist, for instance.
  if (trace.skipped.length > 0 && isNews(event)) {
    const told = trace.workflows.length > 0 ? 'not everybody was notified' : 'nobody was notified';
    return log.warn({ ...fields, skipped: trace.skipped }, `${told}: ${trace.summary}`);
  }
  if (trace.workflows.some(({ outcome }) => bad.has(outcome))) log.error(fields, text);
  else log.info(fields, text);
};
