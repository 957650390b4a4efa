// Encodes an event as a frame: redacted, and within the maximum message size. An oversized event is truncated in
// this order: output, hook output, metrics. The truncation is reported.
import type { Check } from '../../model/check/check.ts';
import { truncatedBytesLabels } from '../../model/entity/reserved-labels.ts';
import type { Event } from '../../model/event/event.ts';
import { jsonWithTimestamps } from '../../model/event/exact-timestamps.ts';
import { toWireEvent } from '../../model/event/wire-shape.ts';
import { maxMetricPoints } from '../../model/limits.ts';
import { redactEvent } from '../../model/resource/redaction.ts';
import { encodeFrame } from '../../wire/frames.ts';
import { maxPayloadBytes } from '../../wire/limits.ts';

export interface Outgoing {
  readonly frame: Buffer;
  /** Describes what was removed; empty if nothing was. */
  readonly cut: string;
}

const encode = (type: 'event' | 'keepalive', event: Event): Buffer =>
  encodeFrame(type, jsonWithTimestamps(toWireEvent(redactEvent(event)), event));

const cutText = (text: string, bytes: number): string =>
  Buffer.from(text).subarray(0, bytes).toString('utf8');

const withOutput = (event: Event, check: Check, keptBytes: number): Event => {
  const cutBytes = Buffer.byteLength(check.output) - keptBytes;
  const labels = { ...event.metadata.labels, ...truncatedBytesLabels(cutBytes) };
  return {
    ...event,
    check: { ...check, output: cutText(check.output, keptBytes) },
    metadata: { ...event.metadata, labels },
  };
};

/** As much output as fits. Escaping makes some bytes longer, so this takes several rounds. */
const shortenOutput = (event: Event, limitBytes: number): Event => {
  const { check } = event;
  if (check === undefined || check.output === '') return event;
  const emptyBytes = encode('event', withOutput(event, check, 0)).length;
  const room = limitBytes - emptyBytes;
  let kept = Math.min(Buffer.byteLength(check.output), Math.max(room, 0));
  let shortened = withOutput(event, check, kept);
  for (let round = 0; round < 20 && kept > 0; round += 1) {
    const over = encode('event', shortened).length - limitBytes;
    if (over <= 0) return shortened;
    kept = Math.max(Math.floor(kept * (room / (room + over))) - 8, 0);
    shortened = withOutput(event, check, kept);
  }
  return withOutput(event, check, 0);
};

const withoutHookOutput = (event: Event): Event =>
  event.check?.hooks == null
    ? event
    : {
        ...event,
        check: { ...event.check, hooks: event.check.hooks.map((hook) => ({ ...hook, output: '' })) },
      };

const withPoints = (event: Event, count: number): Event =>
  event.metrics === undefined
    ? event
    : { ...event, metrics: { ...event.metrics, points: (event.metrics.points ?? []).slice(0, count) } };

/** Halves the number of points until it fits. */
const shortenPoints = (event: Event, limitBytes: number): Event => {
  let count = event.metrics?.points?.length ?? 0;
  let shortened = event;
  while (count > 0 && encode('event', shortened).length > limitBytes) {
    count = Math.floor(count / 2);
    shortened = withPoints(event, count);
  }
  return shortened;
};

/** Never exceeds the limit, unless the definition alone does. */
export const encodeEvent = (event: Event, limitBytes = maxPayloadBytes): Outgoing => {
  const points = event.metrics?.points?.length ?? 0;
  if (points > maxMetricPoints) {
    const { frame, cut } = encodeEvent(withPoints(event, maxMetricPoints), limitBytes);
    const left = `${points - maxMetricPoints} of ${points} metric points`;
    return { frame, cut: cut === '' ? left : `${left}, ${cut}` };
  }
  const whole = encode('event', event);
  if (whole.length <= limitBytes) return { frame: whole, cut: '' };
  const steps: readonly (readonly [string, (event: Event) => Event])[] = [
    ['part of the output', (current) => shortenOutput(current, limitBytes)],
    ['the output of hooks', withoutHookOutput],
    ['part of the metrics', (current) => shortenPoints(current, limitBytes)],
  ];
  let current = event;
  const cuts: string[] = [];
  for (const [what, shorten] of steps) {
    current = shorten(current);
    cuts.push(what);
    const frame = encode('event', current);
    if (frame.length <= limitBytes) return { frame, cut: cuts.join(', ') };
  }
  return { frame: encode('event', current), cut: cuts.join(', ') };
};

export const encodeKeepalive = (event: Event): Buffer => encode('keepalive', event);
