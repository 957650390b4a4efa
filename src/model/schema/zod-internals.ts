// The one file that reads or replaces what zod keeps on a schema under `_zod`: how it parses, what it is made of. A test fails
// when a new version of zod has another shape.
import type { z } from 'zod';

export type Parse = z.core.$ZodType['_zod']['parse'];
export type ParseContext = Parameters<Parse>[1];
export type ParseResult = ReturnType<z.core.$ZodType['_zod']['run']>;

/** What a schema makes of a value, without an error object around its issues. A promise when it has to wait. */
export const runSchema = (
  schema: z.core.$ZodType,
  value: unknown,
  context: ParseContext = {} as ParseContext,
): ParseResult => schema._zod.run({ value, issues: [] }, context);

/** What a schema is made of; which of these it has depends on its type. */
export interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
  readonly valueType?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly catchall?: z.core.$ZodType;
  readonly options?: readonly z.core.$ZodType[];
}

export const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

const unwrapped = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** The schema inside of optional, nullable, default and transform. */
export const bareSchema = (schema: z.core.$ZodType): z.core.$ZodType => {
  const known = unwrapped.get(schema);
  if (known !== undefined) return known;
  const definition = definitionOf(schema);
  const inner = definition.innerType ?? (definition.type === 'pipe' ? definition.in : undefined);
  const found = inner === undefined ? schema : bareSchema(inner);
  unwrapped.set(schema, found);
  return found;
};

/** The format of a number, such as `safeint`; undefined: any number. */
export const formatOf = (schema: z.core.$ZodType): unknown => schema._zod.bag['format'];

/** Gives a schema another way to parse, made from the one it had. */
export const replaceParse = (schema: z.core.$ZodType, make: (before: Parse) => Parse): void => {
  schema._zod.parse = make(schema._zod.parse);
};

export interface Traits {
  /** Bounds and formats, for those who write the schema down. */
  readonly bag?: Readonly<Record<string, unknown>> | undefined;
  /** An absent key is read instead of refused. */
  readonly readsAbsent: boolean;
}

export const setTraits = (schema: z.core.$ZodType, { bag, readsAbsent }: Traits): void => {
  Object.assign(schema._zod.bag, bag);
  if (readsAbsent) schema._zod.optin = 'defaulted';
};
