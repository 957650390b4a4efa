// A copy of a check with every field present. It runs for every event, see field-functions.
import { type Check, checkSchema } from '../../model/check/check.ts';
import { compileCopy } from '../../model/schema/field-functions.ts';

/** Every field of a check, present even when undefined. Undefined fields are not written to JSON. */
export type WholeCheck = { -readonly [Field in keyof Required<Check>]: Check[Field] };

export const copyCheck = compileCopy<Check, WholeCheck>(Object.keys(checkSchema.shape));
