// What an event takes in memory, roughly: the parts whose size its sender chooses. Counted with every event that comes in, so
// it adds lengths and looks at nothing twice.
import type { Event } from './event.ts';

type StringMap = Readonly<Record<string, string>> | null | undefined;

/** A point with its name and a tag or two. */
const bytesPerPoint = 128;

const lengthOf = (map: StringMap): number => {
  if (!map) return 0;
  let length = 0;
  for (const key in map) length += key.length + (map[key]?.length ?? 0);
  return length;
};

/** Characters, which is bytes for nearly all there is. */
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
