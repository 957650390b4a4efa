// Writes docs/limits.md from the table of bounds in src/main/bounds.ts.
// Usage: node scripts/limits-doc.js [--check]   --check: only say whether it is up to date (build first)
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bounds } from '../dist/src/main/bounds.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, 'docs/limits.md');
const number = (value) => value.toLocaleString('en-US');
const cell = (text) => text.replaceAll('|', '\\|');

const row = ({ collection, by, entries, bytes, whenFull, flag, gauge }) => {
  const most = [
    ...(entries === undefined ? [] : [number(entries)]),
    ...(bytes === undefined ? [] : [`${number(bytes.most)} bytes${bytes.of === 'each' ? ' each' : ''}`]),
  ].join(', ');
  const flagged = flag === undefined ? '' : ` (\`--${flag}\`)`;
  return `| ${cell(collection)} | ${cell(by)} | ${most}${flagged} | ${cell(whenFull)} | ${gauge === undefined ? '' : `\`${gauge}\``} |`;
};

const text = `# Limits

<!-- Written by scripts/limits-doc.js from src/main/bounds.ts. -->

What others can make grow has a limit. The first table says what bounds each collection of the backend, what happens to one
more, and which metric of \`/metrics\` shows how full it is; a collection that forgets its oldest entries by itself needs none.
\`0\` turns the limits of entities off. Each figure stands in the limits.ts of its folder.

| Collection | Grown by | At most | One more | Metric |
|---|---|---|---|---|
${bounds.map(row).join('\n')}
`;

if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  console.error(
    'docs/limits.md is not what the code says: run `npm run build && node scripts/limits-doc.js`',
  );
  process.exitCode = 1;
}
