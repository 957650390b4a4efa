// Whatever can grow in the backend is named with what bounds it: a new collection without a bound is found here.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bounds } from '../../src/main/bounds.ts';
import { growingIn } from './growing-fields.ts';
import { growingPlaces } from './growing-places.ts';

const built = fileURLToPath(new URL('../../src/', import.meta.url));
/** Programs and parts that run beside the backend, for one host and one user. */
const others = /^(agent|client|ctl|sockets|execution|program)\//;

const files = (readdirSync(built, { recursive: true }) as string[])
  .filter((path) => path.endsWith('.js') && !others.test(path))
  // What an earlier build left of files that moved since.
  .filter((path) => existsSync(`src/${path.slice(0, -3)}.ts`))
  .sort();

test('everything in the backend that can grow says what bounds it, and nothing else does', () => {
  const found = files.flatMap((path) =>
    growingIn(built + path).map((name) => `${path.slice(0, -3)} ${name}`),
  );
  const named = Object.entries(growingPlaces).flatMap(([place, names]) =>
    Object.keys(names).map((name) => `${place} ${name}`),
  );
  assert.ok(found.length > 100, `${found.length} places`);
  assert.deepEqual([...new Set(found)].sort(), named.sort());
});

test('the bounds that are named are in the table of bounds', () => {
  const known = new Set(bounds.map(({ collection }) => collection));
  for (const [place, names] of Object.entries(growingPlaces))
    for (const [name, reason] of Object.entries(names))
      if ('bound' in reason) assert.ok(known.has(reason.bound), `${place} ${name}: no row "${reason.bound}"`);
});

test('fields, variables of a module and variables that inner functions fill are found, locals are not', () => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-growing-'));
  const path = join(dir, 'sample.js');
  writeFileSync(
    path,
    `const ofModule = new Map();
    export const keep = (key) => ofModule.set(key, 1);
    export class Book {
      #byName = new Map();
      list = [];
      fixed = new Set();
      note(name) { this.#byName.set(name, 1); this.list.push(name); return this.fixed.has(name); }
    }
    export const create = () => {
      const kept = new Set();
      return { add: (key) => kept.add(key) };
    };
    export const sum = (items) => {
      const local = [];
      for (const item of items) local.push(item);
      return local;
    };`,
  );
  assert.deepEqual(growingIn(path), ['#byName', 'list', 'ofModule', 'kept']);
  rmSync(dir, { recursive: true });
});
