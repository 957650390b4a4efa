// Builds the handbook from docs/ into web/handbook, which the backend serves at /docs/: plain pages that work without
// JavaScript, drawings of all machines, and a search that works offline. Fails on links and anchors that lead nowhere.
// Usage: node scripts/build-docs.js [--if-stale]   needs `npm run build` to have run
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { contents } from '../docs/site/contents.js';
import { indexOptions } from '../docs/site/ranking.js';
import { drawMachines, loadGraphs } from './machine-drawings.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const docs = join(root, 'docs');
const out = join(root, 'web', 'handbook');
const stampFile = join(out, '.stamp');
const site = join(docs, 'site');
const searchLibrary = join(root, 'node_modules/minisearch/dist/es/index.js');

/** Pages with a heading for every command or state: these headings would hide the guides. */
const lists = new Set(['reference/mon-ctl.md', 'reference/machines.md', 'reference/resources.md']);
const pages = contents.flatMap(({ part, weight, pages: paths }) =>
  paths.map((path) => ({ part, path, weight: lists.has(path) ? 0.4 : weight })),
);
const htmlOf = (path) => path.replace(/\.md$/, '.html');
const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** As GitHub makes them, so that links work there as well. */
const slugOf = (text) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const sources = () =>
  [
    ...pages.map(({ path }) => join(docs, path)),
    ...readdirSync(site).map((name) => join(site, name)),
    ...readdirSync(join(docs, 'images')).map((name) => join(docs, 'images', name)),
    fileURLToPath(import.meta.url),
    fileURLToPath(new URL('../web/build/chart-svg.ts', import.meta.url)),
  ].sort();

const graphs = await loadGraphs();

const stamp = () => {
  const hash = createHash('sha256');
  for (const file of sources()) hash.update(relative(root, file)).update(readFileSync(file));
  for (const { sha } of graphs) hash.update(sha);
  return hash.digest('hex');
};

const isFresh = (wanted) => {
  try {
    return readFileSync(stampFile, 'utf8') === wanted;
  } catch {
    return false;
  }
};

const faults = [];
const anchors = new Map();
const wantedAnchors = [];

const markdown = new MarkdownIt({ html: true, linkify: false });
const plainFence = markdown.renderer.rules.fence;

/** `yaml file=check.yml` names the file that an example stands for. */
markdown.renderer.rules.fence = (tokens, at, options, env, self) => {
  const file = /(?:^|\s)file=(\S+)/.exec(tokens[at].info)?.[1];
  const block = plainFence(tokens, at, options, env, self).replace('<pre>', '<pre tabindex="0">');
  return file === undefined ? block : `<p class="file">File <code>${escaped(file)}</code></p>\n${block}`;
};
// What may be wider than the page scrolls by itself, and so must be reachable by keyboard.
markdown.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
markdown.renderer.rules.table_close = () => '</table></div>\n';

const textOf = (token) => (token.children ?? []).map(({ content }) => content).join('');

/** Where a link of a page leads on the site; undefined for files that are not part of it. */
const targetOf = (path, href) => {
  if (/^[a-z]+:/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const to = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
  if (to.startsWith('images/')) return up(path) + to;
  if (!pages.some((page) => page.path === to)) {
    if (!to.startsWith('..')) faults.push(`docs/${path}: ${href} leads to no page of the handbook`);
    return undefined;
  }
  if (anchor !== undefined) wantedAnchors.push({ path, href, to, anchor });
  return (file === '' ? '' : up(path) + htmlOf(to)) + (anchor === undefined ? '' : `#${anchor}`);
};

const up = (path) => '../'.repeat(path.split('/').length - 1);

const mendLinks = (path, tokens) => {
  const dropped = [];
  for (const token of tokens) {
    if (token.type === 'image') token.attrSet('src', targetOf(path, token.attrGet('src')) ?? '');
    if (token.type === 'link_open') {
      const target = targetOf(path, token.attrGet('href'));
      dropped.push(target === undefined);
      if (target === undefined) token.hidden = true;
      else token.attrSet('href', target);
    }
    if (token.type === 'link_close' && dropped.pop()) token.hidden = true;
  }
};
markdown.renderer.rules.link_open = (tokens, at, options, _env, self) =>
  tokens[at].hidden ? '' : self.renderToken(tokens, at, options);
markdown.renderer.rules.link_close = (tokens, at, options, _env, self) =>
  tokens[at].hidden ? '' : self.renderToken(tokens, at, options);

const machinesPage = 'reference/machines.md';
const drawingOf = ({ id }) => `machine-${id}.svg`;

/** On the page of the statecharts, a drawing below the heading of each: by the id of the heading. */
const drawingsOf = (path) =>
  new Map(
    path !== machinesPage
      ? []
      : graphs.map((graph) => [
          slugOf(graph.title),
          `<p><a href="${drawingOf(graph)}"><img src="${drawingOf(graph)}" alt="The statechart as a drawing; the tables below say the same in words" loading="lazy"></a></p>\n`,
        ]),
  );

const rendered = ({ path, tokens }) => {
  const drawings = drawingsOf(path);
  const html = markdown.renderer.render(tokens, markdown.options, { drawings });
  for (const image of drawings.values())
    if (!html.includes(image)) throw new Error(`docs/${path} has no heading for the drawing ${image}`);
  return html;
};

/** The page as tokens, its title, and its sections for the search. */
const parse = ({ path, weight }) => {
  const source = readFileSync(join(docs, path), 'utf8');
  const keywords = /^<!-- keywords: (.*) -->$/m.exec(source)?.[1] ?? '';
  const tokens = markdown.parse(source, {});
  const sections = [];
  const slugs = new Map();
  let title = '';
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = textOf(tokens[at + 1]);
      const plain = slugOf(heading);
      const times = slugs.get(plain) ?? 0;
      slugs.set(plain, times + 1);
      const slug = times === 0 ? plain : `${plain}-${times}`;
      token.attrSet('id', slug);
      if (title === '') title = heading;
      sections.push({ slug: sections.length === 0 ? '' : slug, heading, text: [] });
    } else if (token.type === 'inline') {
      mendLinks(path, token.children);
      if (tokens[at - 1]?.type !== 'heading_open') sections.at(-1)?.text.push(textOf(token));
    } else if (token.type === 'fence') sections.at(-1)?.text.push(token.content);
  }
  anchors.set(path, new Set(tokens.map((token) => token.attrGet('id')).filter(Boolean)));
  if (title === '') faults.push(`docs/${path} has no heading`);
  return { path, tokens, title, sections, keywords, weight };
};

markdown.renderer.rules.heading_close = (tokens, at, _options, { drawings }) => {
  const open = tokens.slice(0, at).findLast(({ type }) => type === 'heading_open');
  return `<a class="anchor" href="#${open.attrGet('id')}" aria-label="Link to this section">#</a></${tokens[at].tag}>\n${drawings.get(open.attrGet('id')) ?? ''}`;
};

const navigation = (parsed, current) =>
  contents
    .map(({ part, pages: paths }) => {
      const rows = paths.map((path) => {
        const { title } = parsed.find((page) => page.path === path);
        const mark = path === current ? ' aria-current="page"' : '';
        return `<li><a href="${up(current)}${htmlOf(path)}"${mark}>${escaped(title)}</a></li>`;
      });
      return `<h2>${escaped(part)}</h2>\n<ul>${rows.join('\n')}</ul>`;
    })
    .join('\n');

const frame = (parsed, path, title, body) => {
  const base = up(path);
  return `<!doctype html>
<html lang="en" data-base="${base}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · mon</title>
<link rel="icon" type="image/svg+xml" href="${base}icon.svg">
<link rel="stylesheet" href="${base}style.css">
<script type="module" src="${base}search.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${base}index.html">mon handbook</a>
<search class="search"><input type="search" aria-label="Search the handbook" placeholder="Search  /"><ol hidden></ol></search>
<div class="links"><a href="/ui/">Open mon</a><a href="/docs/api">API reference</a></div>
</header>
<div class="columns">
<nav class="parts" aria-label="Handbook">${navigation(parsed, path)}</nav>
<main id="content">
${body}</main>
</div>
</body>
</html>
`;
};

const neighbours = (parsed, at) => {
  const link = (page, label) =>
    page === undefined
      ? '<span></span>'
      : `<a href="${up(parsed[at].path)}${htmlOf(page.path)}">${label(escaped(page.title))}</a>`;
  return `<div class="next">${link(parsed[at - 1], (title) => `← ${title}`)}${link(parsed[at + 1], (title) => `${title} →`)}</div>\n`;
};

const indexOf = (parsed) => {
  const index = new MiniSearch(indexOptions);
  index.addAll(
    parsed.flatMap(({ path, title, sections, keywords, weight }) =>
      sections.map(({ slug, heading, text }) => ({
        id: `${path}#${slug}`,
        url: htmlOf(path) + (slug === '' ? '' : `#${slug}`),
        title,
        heading,
        // Words of the whole page find its beginning.
        keywords: slug === '' ? keywords : '',
        weight,
        text: text.join(' '),
      })),
    ),
  );
  return JSON.stringify(index);
};

const write = (path, text) => {
  mkdirSync(dirname(join(out, path)), { recursive: true });
  writeFileSync(join(out, path), text);
};

const wanted = stamp();
if (!process.argv.includes('--if-stale') || !isFresh(wanted)) {
  const parsed = pages.map(parse);
  for (const { path, href, to, anchor } of wantedAnchors)
    if (!anchors.get(to)?.has(anchor)) faults.push(`docs/${path}: ${href} leads to no heading`);
  if (faults.length > 0) {
    console.error(faults.join('\n'));
    process.exit(1);
  }
  rmSync(out, { recursive: true, force: true });
  for (const [at, { path, tokens, title }] of parsed.entries())
    write(htmlOf(path), frame(parsed, path, title, rendered({ path, tokens }) + neighbours(parsed, at)));
  const first = parsed[0];
  write(
    'index.html',
    frame(
      parsed,
      'index.md',
      'Handbook',
      `<h1>mon handbook</h1>\n${readFileSync(join(site, 'welcome.html'), 'utf8')}`,
    ),
  );
  const { chartSvg } = await import(new URL('../dist/web/build/chart-svg.js', import.meta.url).href);
  for (const { graph, layout } of await drawMachines(graphs))
    write(join(dirname(machinesPage), drawingOf(graph)), chartSvg(graph, layout));
  write('search-index.json', indexOf(parsed));
  for (const name of ['style.css', 'search.js', 'ranking.js'])
    copyFileSync(join(site, name), join(out, name));
  copyFileSync(searchLibrary, join(out, 'minisearch.js'));
  copyFileSync(join(root, 'web/public/icon.svg'), join(out, 'icon.svg'));
  mkdirSync(join(out, 'images'), { recursive: true });
  for (const name of readdirSync(join(docs, 'images')))
    copyFileSync(join(docs, 'images', name), join(out, 'images', name));
  writeFileSync(stampFile, wanted);
  if (first === undefined) throw new Error('the handbook has no pages');
}
