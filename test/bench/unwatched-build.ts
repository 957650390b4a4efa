// A second build of this program without live inspection, made from the first by taking its lines out: what the lines
// that remain when nobody looks cost is the difference between the two.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../..', import.meta.url));
const copy = join(dist, 'without-inspection');

interface Cut {
  readonly file: string;
  readonly from: string | RegExp;
  readonly to: string;
}

const cuts: readonly Cut[] = [
  // A message goes to the machine, whoever watches.
  {
    file: 'actors/runtime/cell/life.js',
    from: /if \(watch === undefined\)\s*(this\.actor\.send\(message\);)\s*else\s*watch\.send\(this\.actor, message\);/,
    to: '$1',
  },
  { file: 'actors/runtime/cell/life.js', from: 'watch?.tell(after, effects);', to: '' },
  {
    file: 'actors/runtime/cell/effect-logic.js',
    from: /if \(observed !== undefined\)\s*return machine\.transition\([^;]*;/,
    to: '',
  },
  // No index of events is kept.
  { file: 'actors/compose.js', from: /commit\.follow\('check'[^;]*;/, to: '' },
];

/** Where its compiled files are, laid out as in `dist`. Throws when a line is not where it is looked for. */
export const buildWithoutInspection = (): { readonly root: string; remove(): void } => {
  rmSync(copy, { recursive: true, force: true });
  cpSync(join(dist, 'src'), join(copy, 'src'), { recursive: true });
  for (const { file, from, to } of cuts) {
    const path = join(copy, 'src', file);
    const before = readFileSync(path, 'utf8');
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${file} has no ${from}: bring the cuts of this bench up to date`);
    writeFileSync(path, after);
  }
  return { root: copy, remove: () => rmSync(copy, { recursive: true, force: true }) };
};
