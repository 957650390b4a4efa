// Estimates the memory size of an event, counting only the parts whose size the sender controls. It runs for every
// event, so it only adds up lengths.
import type { Event } from './event.ts';

type StringMap = Readonly<Record<string, string>> | null | undefined;

/** A metric point with its name and one or two tags. */
const bytesPerPoint = 128;

const lengthOf = (map: StringMap): number => {
  if (!map) return 0;
  let length = 0;
  for (const key in map) length += key.length + (map[key]?.length ?? 0);
  return length;
};

/** Counts characters, which approximates bytes. */
export const eventSize = ({ entity, check, metrics }: Event): number =>
  (check === undefined
    ? 0
    : check.output.length +
      (check.command?.length ?? 0) +
      lengthOf(check.metadata.labels) +
      lengthOf(check.metadata.annotations)) +
  lengthOf(entity.metadata.labels) +
  lengthOf(entity.metadata.annotations) +
  (metrics?.points?.length ?? 0) * bytesPerPoint;
