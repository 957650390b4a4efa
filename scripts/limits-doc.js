// Writes docs/limits.md from the table of bounds in src/main/bounds.ts.
// Usage: node scripts/limits-doc.js [--check]   --check: only say whether it is up to date (build first)
import { bounds } from '../dist/src/main/bounds.js';
import { cell, writeDoc } from './generated-doc.js';

const number = (value) => value.toLocaleString('en-US');

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

writeDoc('limits.md', text, 'limits-doc.js');
