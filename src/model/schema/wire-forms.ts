// The form of a field outside of the backend, kept with its schema: `text().register(wireForms, { definition: 1, result: 1 })`.
// Without a form, a field exists in JSON only, and is always present there.
import { z } from 'zod';

export interface WireForm {
  /** Field number in the Protocol Buffers message of a check definition; absent: not sent. */
  readonly definition?: number;
  /** Field number in the message of a result. Numbers are given by the published schema and differ between the two. */
  readonly result?: number;
  /** Whether the key is left out of JSON while its value is empty. */
  readonly omitEmpty?: boolean;
}

export const wireForms = z.registry<WireForm>();

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** The keys of a shape that JSON leaves out while they are empty. */
export const keysOmittedWhenEmpty = (shape: Shape): ReadonlySet<string> =>
  new Set(Object.keys(shape).filter((key) => wireForms.get(shape[key] as z.core.$ZodType)?.omitEmpty));
