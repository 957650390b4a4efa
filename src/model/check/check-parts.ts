// Splits the check of an event into its definition, which stays the same between results, and its result.

import { compileCopy, compileSame } from '../schema/field-functions.ts';
import { type Check, type CheckConfig, checkConfigSchema, checkSchema } from './check.ts';

export type Definition = { readonly [Field in keyof Required<CheckConfig>]: Check[Field] };
type Defined = Pick<Check, keyof CheckConfig>;
type Result = { readonly [Field in Exclude<keyof Check, keyof CheckConfig>]: Check[Field] };

const definitionFields = Object.keys(checkConfigSchema.shape);
const resultFields = Object.keys(checkSchema.shape).filter((field) => !definitionFields.includes(field));

export const definitionOf = compileCopy<Defined, Definition>(definitionFields);

/** All result fields except the history, which is stored separately. */
export const resultOf = compileCopy<Check, Omit<Result, 'history'>>(
  resultFields.filter((field) => field !== 'history'),
);

/** Whether the two definitions share the same field values by reference, not only by equality. */
export const shareDefinition = compileSame<Defined>(definitionFields);
