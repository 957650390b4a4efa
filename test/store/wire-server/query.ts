// Filters, updates and sorts of MongoDB's query language, as far as the store and its tests use them. What is not known here is
// refused by name, so that a test never passes because the stand-in ignored something.
import type { Doc } from './protocol.ts';

export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  constructor(code: number, codeName: string, message: string) {
    super(message);
    this.code = code;
    this.codeName = codeName;
  }
}

const badValue = (message: string): CommandError => new CommandError(2, 'BadValue', message);

export const isDoc = (value: unknown): value is Doc =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

const valueAt = (doc: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (isDoc(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      doc,
    );

const comparable = (value: unknown): unknown =>
  value instanceof Date ? value.getTime() : (value as { valueOf(): unknown } | null | undefined)?.valueOf();

const sameType = (a: unknown, b: unknown): boolean => typeof a === typeof b && a !== undefined && a !== null;

/** Strings by their UTF-8 bytes, as MongoDB sorts them. */
export const compare = (a: unknown, b: unknown): number => {
  const [left, right] = [comparable(a), comparable(b)];
  if (typeof left === 'string' && typeof right === 'string')
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  if (left === right) return 0;
  return (left as number) < (right as number) ? -1 : 1;
};

const equals = (a: unknown, b: unknown): boolean => {
  if (b === null) return a === null || a === undefined;
  const [left, right] = [comparable(a), comparable(b)];
  return typeof left === 'object' ? JSON.stringify(left) === JSON.stringify(right) : left === right;
};

const operators: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: equals,
  $ne: (value, wanted) => !equals(value, wanted),
  $gt: (value, wanted) => sameType(comparable(value), comparable(wanted)) && compare(value, wanted) > 0,
  $gte: (value, wanted) => sameType(comparable(value), comparable(wanted)) && compare(value, wanted) >= 0,
  $lt: (value, wanted) => sameType(comparable(value), comparable(wanted)) && compare(value, wanted) < 0,
  $lte: (value, wanted) => sameType(comparable(value), comparable(wanted)) && compare(value, wanted) <= 0,
  $in: (value, wanted) => (wanted as unknown[]).some((one) => equals(value, one)),
  $nin: (value, wanted) => !(wanted as unknown[]).some((one) => equals(value, one)),
  $exists: (value, wanted) => (value !== undefined) === Boolean(wanted),
};

const matchesField = (value: unknown, wanted: unknown): boolean => {
  if (!isDoc(wanted) || !Object.keys(wanted).some((name) => name.startsWith('$')))
    return equals(value, wanted);
  return Object.entries(wanted).every(([name, operand]) => {
    const operator = operators[name];
    if (operator === undefined) throw badValue(`unknown operator: ${name}`);
    return operator(value, operand);
  });
};

export const matches = (doc: Doc, filter: Doc): boolean =>
  Object.entries(filter).every(([name, wanted]) => {
    if (name === '$and') return (wanted as Doc[]).every((one) => matches(doc, one));
    if (name === '$or') return (wanted as Doc[]).some((one) => matches(doc, one));
    if (name.startsWith('$')) throw badValue(`unknown top level operator: ${name}`);
    return matchesField(valueAt(doc, name), wanted);
  });

/** The fields a filter pins to one value: what an upsert starts from. */
export const pinnedBy = (filter: Doc): Doc =>
  Object.fromEntries(
    Object.entries(filter).flatMap(([name, wanted]) => {
      if (name === '$and')
        return Object.entries(Object.assign({}, ...(wanted as Doc[]).map(pinnedBy)) as Doc);
      if (name.startsWith('$')) return [];
      if (isDoc(wanted) && '$eq' in wanted) return [[name, wanted.$eq]];
      return isDoc(wanted) && Object.keys(wanted).some((key) => key.startsWith('$')) ? [] : [[name, wanted]];
    }),
  );

const setAt = (doc: Doc, path: string, value: unknown): void => {
  const names = path.split('.');
  const last = names.pop() ?? path;
  let place = doc;
  for (const name of names) {
    if (!isDoc(place[name])) place[name] = {};
    place = place[name] as Doc;
  }
  if (value === undefined) delete place[last];
  else place[last] = value;
};

export const isReplacement = (update: Doc): boolean =>
  !Object.keys(update).some((name) => name.startsWith('$'));

/** The document after an update; `isInsert` for an upsert that found nothing. */
export const updated = (doc: Doc, update: Doc, isInsert: boolean): Doc => {
  if (isReplacement(update)) return { ...('_id' in doc ? { _id: doc._id } : {}), ...update };
  const next = structuredClone(doc);
  for (const [operator, fields] of Object.entries(update)) {
    for (const [path, value] of Object.entries(fields as Doc)) {
      if (operator === '$set' || (operator === '$setOnInsert' && isInsert)) setAt(next, path, value);
      else if (operator === '$unset') setAt(next, path, undefined);
      else if (operator === '$inc') setAt(next, path, Number(valueAt(next, path) ?? 0) + Number(value));
      else if (operator === '$max') {
        const old = valueAt(next, path);
        if (old === undefined || compare(value, old) > 0) setAt(next, path, value);
      } else if (operator !== '$setOnInsert') throw badValue(`unknown update operator: ${operator}`);
    }
  }
  return next;
};

export const sorted = (docs: readonly Doc[], order: Doc): Doc[] =>
  [...docs].sort((a, b) => {
    for (const [path, direction] of Object.entries(order)) {
      const difference = compare(valueAt(a, path), valueAt(b, path));
      if (difference !== 0) return difference * Number(direction);
    }
    return 0;
  });

export const projected = (doc: Doc, fields: Doc | undefined): Doc => {
  const wanted = Object.entries(fields ?? {});
  if (wanted.length === 0) return doc;
  if (wanted.some(([name, keep]) => name !== '_id' && !keep))
    return Object.fromEntries(Object.entries(doc).filter(([name]) => fields?.[name] === undefined));
  const kept = Object.entries(doc).filter(
    ([name]) => fields?.[name] || (name === '_id' && fields?._id !== 0),
  );
  return Object.fromEntries(kept);
};
