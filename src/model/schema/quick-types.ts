// Fast zod types for the hot path: parsing an event runs about sixty of them. A zod check (`.int()`, `.min(0)`, a
// record) costs 60 to 200 ns per field, a single parse function about 10 ns. They read `null` as the empty value,
// like the reference product, and report the expected type; `decode.ts` adds the field and the received value.
import { z } from 'zod';
import { maxListItems, maxUnsigned32 } from '../limits.ts';
import { replaceParse, setTraits } from './zod-internals.ts';

/** Accepts a value, or describes what was expected. */
interface Quick {
  readonly accepts: (value: unknown) => boolean;
  readonly wanted: string | ((value: unknown) => string);
  /** The value that `null` is read as. */
  readonly empty: () => unknown;
  /** The value for an absent key; if not given, the key is required. */
  readonly absent?: (() => unknown) | undefined;
  readonly bag?: Record<string, unknown>;
}

const quicken = (inst: z.core.$ZodType, quick: Quick): void => {
  const { accepts, wanted, empty, absent } = quick;
  // Exposed for quick-object, which calls it directly.
  Object.assign(inst, { accepts });
  setTraits(inst, { bag: quick.bag, readsAbsent: absent !== undefined });
  replaceParse(inst, () => (payload) => {
    const value = payload.value;
    if (accepts(value)) return payload;
    if (value === undefined && absent !== undefined) payload.value = absent();
    else if (value === null) payload.value = empty();
    else {
      const message = typeof wanted === 'string' ? wanted : wanted(value);
      payload.issues.push({ code: 'custom', message, input: value, inst, continue: false });
    }
    return payload;
  });
};

/** Exposes the default to code that documents the schema. */
const documented = <T extends z.ZodType>(schema: T, absent: unknown): T => {
  if (absent !== undefined) z.globalRegistry.add(schema, { default: absent });
  return schema;
};

const absence = (absent: unknown): (() => unknown) | undefined =>
  absent === undefined ? undefined : () => absent;

type With<D> = D & { readonly quick: Quick };

const QuickNumber = z.core.$constructor<z.ZodNumber, With<z.core.$ZodNumberDef>>(
  'QuickNumber',
  (inst, def) => {
    z.ZodNumber.init(inst, def);
    quicken(inst, def.quick);
  },
);
const QuickString = z.core.$constructor<z.ZodString, With<z.core.$ZodStringDef>>(
  'QuickString',
  (inst, def) => {
    z.ZodString.init(inst, def);
    quicken(inst, def.quick);
  },
);
const QuickBoolean = z.core.$constructor<z.ZodBoolean, With<z.core.$ZodBooleanDef>>(
  'QuickBoolean',
  (inst, def) => {
    z.ZodBoolean.init(inst, def);
    quicken(inst, def.quick);
  },
);
type StringRecord = z.ZodRecord<z.ZodString, z.ZodString>;
const QuickMap = z.core.$constructor<StringRecord, With<z.core.$ZodRecordDef>>('QuickMap', (inst, def) => {
  z.ZodRecord.init(inst, def);
  quicken(inst, def.quick);
});
const QuickList = z.core.$constructor<z.ZodArray<z.ZodString>, With<z.core.$ZodArrayDef>>(
  'QuickList',
  (inst, def) => {
    z.ZodArray.init(inst, def);
    quicken(inst, def.quick);
  },
);

const isFiniteNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isUnsigned = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;

const isStringList = (value: unknown, most: number): boolean => {
  if (!Array.isArray(value) || value.length > most) return false;
  for (const item of value) if (typeof item !== 'string') return false;
  return true;
};

const isStringMap = (value: unknown): boolean => {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  for (const key in value) if (typeof (value as Record<string, unknown>)[key] !== 'string') return false;
  return true;
};

const quickNumber = (
  accepts: (value: unknown) => boolean,
  wanted: Quick['wanted'],
  absent: number | undefined,
  bag: Record<string, unknown> = {},
): z.ZodNumber =>
  documented(
    new QuickNumber({
      type: 'number',
      quick: { accepts, wanted, empty: () => 0, absent: absence(absent), bag },
    }),
    absent,
  );

/** Any finite number. With `absent`, the key is optional. */
export const number = (absent?: number): z.ZodNumber =>
  quickNumber(isFiniteNumber, 'must be a number', absent);

/** A whole number. */
export const integer = (absent?: number): z.ZodNumber =>
  quickNumber(Number.isSafeInteger, 'must be an integer', absent, { format: 'safeint' });

/** A whole number of any size; nanoseconds since 1970 exceed Number.MAX_SAFE_INTEGER. */
export const largeInteger = (absent?: number): z.ZodNumber =>
  quickNumber(Number.isInteger, 'must be an integer', absent);

const notNegative = 'must be a whole number, 0 or more';

/** A whole number, 0 or more. */
export const unsigned = (absent?: number): z.ZodNumber =>
  quickNumber(isUnsigned, notNegative, absent, { format: 'safeint', minimum: 0 });

/** A whole number from 0 to 2^32 - 1: the reference product's unsigned 32-bit fields. */
export const unsigned32 = (absent?: number): z.ZodNumber =>
  quickNumber(
    (value) => isUnsigned(value) && (value as number) <= maxUnsigned32,
    (value) => (isUnsigned(value) ? `must be at most ${maxUnsigned32}` : notNegative),
    absent,
    { format: 'uint32', minimum: 0, maximum: maxUnsigned32 },
  );

export const text = (absent?: string): z.ZodString =>
  documented(
    new QuickString({
      type: 'string',
      quick: {
        accepts: (value) => typeof value === 'string',
        wanted: 'must be a string',
        empty: () => '',
        absent: absence(absent),
      },
    }),
    absent,
  );

export const flag = (absent?: boolean): z.ZodBoolean =>
  documented(
    new QuickBoolean({
      type: 'boolean',
      quick: {
        accepts: (value) => typeof value === 'boolean',
        wanted: 'must be true or false',
        empty: () => false,
        absent: absence(absent),
      },
    }),
    absent,
  );

/** A map of strings to strings. Not copied: the parsed input belongs to the caller. */
export const stringMap = (): StringRecord =>
  new QuickMap({
    type: 'record',
    keyType: z.string(),
    valueType: z.string(),
    quick: { accepts: isStringMap, wanted: 'must be a map of strings to strings', empty: () => ({}) },
  });

const tooLong = (list: readonly unknown[], most: number): string =>
  `must have at most ${most} items, not ${list.length}: remove some, or split it`;

const strings = (
  empty: () => unknown,
  absent?: () => unknown,
  most = maxListItems,
): z.ZodArray<z.ZodString> =>
  new QuickList({
    type: 'array',
    element: z.string(),
    quick: {
      accepts: (value) => isStringList(value, most),
      wanted: (value) =>
        Array.isArray(value) && value.length > most ? tooLong(value, most) : 'must be a list of strings',
      empty,
      absent,
      bag: { maximum: most },
    },
  });

const fresh = (): string[] => [];
const nothing = (): null => null;

/** A list of strings; `[]` when absent. */
export const stringList = (most?: number): z.ZodType<string[]> => documented(strings(fresh, fresh, most), []);

/** A list of strings; `null` when absent. */
export const stringListOrNull = (): z.ZodType<string[] | null> =>
  documented(strings(nothing, nothing), null) as z.ZodType<string[] | null>;

/** A list of strings; absent when absent. */
export const optionalStringList = () => strings(fresh).nullish();

type Short<D> = D & { readonly most: number };

const ShortList = z.core.$constructor<z.ZodArray<z.ZodType>, Short<z.core.$ZodArrayDef>>(
  'ShortList',
  (inst, def) => {
    z.ZodArray.init(inst, def as unknown as z.core.$ZodArrayDef<z.ZodType>);
    const { most } = def;
    setTraits(inst, { bag: { maximum: most }, readsAbsent: false });
    replaceParse(inst, (before) => (payload, context) => {
      const { value } = payload;
      if (!Array.isArray(value) || value.length <= most) return before(payload, context);
      const message = tooLong(value, most);
      payload.issues.push({ code: 'custom', message, input: value, inst, continue: false });
      return payload;
    });
  },
);

/** A list of any type with at most so many items. A longer one is rejected before its items are read. */
export const list = <T extends z.ZodType>(item: T, most = maxListItems): z.ZodArray<T> =>
  new ShortList({ type: 'array', element: item, most }) as unknown as z.ZodArray<T>;

/** A list of any type; `null` when absent. */
export const listOrNull = <T extends z.ZodType>(item: T) =>
  list(item)
    .nullish()
    .transform((items) => items ?? null);
