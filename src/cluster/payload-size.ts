// The size of a message against what the bus takes.
import { BusError } from './bus.ts';

/** Throws a BusError. */
export const checkSize = (subject: string, data: Uint8Array, most: number): void => {
  if (data.length > most)
    throw new BusError(
      'tooLarge',
      `${subject}: ${data.length} bytes are more than the ${most} the bus takes`,
    );
};
