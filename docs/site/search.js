// Search in the handbook: the index is read at the first key, and nothing leaves this site.
import MiniSearch from './minisearch.js';
import { find, indexOptions } from './ranking.js';

const input = document.querySelector('.search input');
const list = document.querySelector('.search ol');
const base = document.documentElement.dataset.base;
const shownResults = 12;
let index;

const load = async () => {
  const response = await fetch(`${base}search-index.json`);
  if (!response.ok) throw new Error(`the search index is missing (${response.status})`);
  return MiniSearch.loadJSON(await response.text(), indexOptions);
};

const item = ({ title, heading, url }) => {
  const row = document.createElement('li');
  const link = document.createElement('a');
  link.href = base + url;
  link.textContent = heading;
  const where = document.createElement('small');
  where.textContent = title;
  link.append(where);
  row.append(link);
  return row;
};

const words = (text) => {
  const row = document.createElement('li');
  const line = document.createElement('p');
  line.textContent = text;
  row.append(line);
  return row;
};

const search = async () => {
  const query = input.value.trim();
  if (query === '') {
    list.hidden = true;
    return;
  }
  try {
    index ??= load();
    const { complete, found } = find(await index, query);
    if (query !== input.value.trim()) return;
    const note =
      found.length === 0
        ? [words(`Nothing about “${query}”.`)]
        : complete
          ? []
          : [words('No section has all of these words. Sections with some of them:')];
    list.replaceChildren(...note, ...found.slice(0, shownResults).map(item));
  } catch (error) {
    index = undefined;
    list.replaceChildren(words(`Search does not work: ${error.message}.`));
  }
  list.hidden = false;
};

const move = (step) => {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const next = at + step;
  if (next < 0) input.focus();
  else links[next]?.focus();
};

input.addEventListener('input', search);
document.querySelector('.search').addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') move(1);
  else if (event.key === 'ArrowUp') move(-1);
  else if (event.key === 'Escape') list.hidden = true;
  else if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
  else return;
  event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!event.target.closest('.search')) list.hidden = true;
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea')) return;
  event.preventDefault();
  input.focus();
});
