// Functions over all fields of a schema, compiled from their names. They run for every event: a literal that names each field
// takes 0.2 us for a check and gives every copy the same shape, a spread or a loop takes up to 25 times as long.

const isName = /^[a-z_]+$/;

/** Names become source text, so anything but a plain name is a bug. */
const named = (fields: readonly string[]): readonly string[] => {
  const wrong = fields.find((field) => !isName.test(field));
  if (wrong !== undefined) throw new TypeError(`${JSON.stringify(wrong)} cannot be the name of a field`);
  return fields;
};

/** Returns an object with exactly these fields of its argument, in this order; absent ones are `undefined`. */
export const compileCopy = <From extends object, To>(fields: readonly string[]): ((from: From) => To) =>
  new Function('from', `return { ${named(fields).map((field) => `${field}: from.${field}`)} };`) as (
    from: From,
  ) => To;

/** Whether all these fields of two objects are identical (`===`). */
export const compileSame = <T extends object>(fields: readonly string[]): ((one: T, other: T) => boolean) =>
  new Function(
    'one',
    'other',
    `return ${named(fields)
      .map((field) => `one.${field} === other.${field}`)
      .join(' && ')};`,
  ) as (one: T, other: T) => boolean;
