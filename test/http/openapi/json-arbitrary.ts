// Values made from a JSON Schema: mostly as it asks, sometimes not, sometimes spiteful.
import { fc } from '../../property.ts';

// biome-ignore lint/suspicious/noExplicitAny: schemas are looked into from all sides
type Schema = any;

/** Existing names, unknown names, and malicious names. */
export const names = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('default', 'web-01', 'disk', 'pager', 'switch-1', 'linux:disk', 'vault'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '..',
      '%',
      'a/b',
      'x y',
      '\u0000',
      '__proto__',
      'é',
      '*',
      '$gt',
      'a'.repeat(300),
      'a'.repeat(2_000),
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
);

const spite = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  1e308,
  0.5,
  2 ** 53,
  '',
  '..',
  '\u0000',
  '{{ .name }}',
  [],
  [null],
  [[]],
  {},
  { $gt: '' },
  { a: { b: [1] } },
  'x'.repeat(5_000),
  '* * * * *',
  '99999999h',
);

const wordsOfThisWorld = fc.constantFrom(
  ...[
    'pipe',
    'tcp',
    'set',
    'allow',
    'deny',
    'proxy',
    'agent',
    'Role',
    'ClusterRole',
    'User',
    'ldap',
    'ad',
    'oidc',
    'Env',
    'StoreProvider',
  ],
  ...[
    'v1',
    'v2',
    'secrets/v1',
    'authentication/v2',
    'core/v2',
    '60s',
    '* * * * *',
    'nagios_perfdata',
    'get',
    'events',
    '*',
  ],
  ...[
    'event.check.status == 0',
    'while (true) {}',
    'entity:web-01',
    'https://127.0.0.1/x',
    'javascript',
    'true',
    '4f'.repeat(64),
  ],
);

const asAsked = (schema: Schema, resolve: (ref: string) => Schema): fc.Arbitrary<unknown> => {
  if (schema.$ref !== undefined) return from(resolve(schema.$ref), resolve);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return fc.oneof(...choices.map((one: Schema) => from(one, resolve)));
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case 'string':
      return fc.oneof(names, wordsOfThisWorld, fc.string({ maxLength: 30 }));
    case 'integer':
      return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.maxSafeInteger());
    case 'number':
      return fc.double();
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(from(schema.items ?? {}, resolve), { maxLength: 3 });
    case 'object': {
      const properties = Object.entries<Schema>(schema.properties ?? {});
      if (properties.length === 0)
        return fc.dictionary(
          fc.oneof(names, fc.string({ maxLength: 10 })),
          from(schema.additionalProperties || {}, resolve),
          { maxKeys: 3 },
        );
      const shape = Object.fromEntries(properties.map(([key, inner]) => [key, from(inner, resolve)]));
      return fc.record(shape, { requiredKeys: [] });
    }
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
};

/** Nine times of ten what the schema asks for. */
export const from = (schema: Schema, resolve: (ref: string) => Schema): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 12, arbitrary: asAsked(schema, resolve) }, { weight: 1, arbitrary: spite });
