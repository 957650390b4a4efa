// What a search in the handbook finds, in which order. Used by the page and by the test that holds it.

/** Words that nearly every page has: they decide nothing where others are there. */
const emptyWords = new Set(
  'a an and are at be can do does for from get has have how i in is it me my no not of on or so that the their this to was what when where which who why will with you'.split(
    ' ',
  ),
);

const wordsOf = (query) =>
  query
    .toLowerCase()
    .split(/[\s,.;:?!"'()/]+/)
    .filter(Boolean);

/** Fields of the index; `keywords` are words of a page's comment that readers use and the page does not. */
export const indexOptions = {
  fields: ['title', 'heading', 'keywords', 'text'],
  storeFields: ['title', 'heading', 'url', 'weight'],
};

const options = {
  prefix: (word) => word.length > 2,
  fuzzy: (word) => (word.length > 4 ? 0.15 : false),
  boost: { heading: 4, keywords: 4, title: 3 },
  boostDocument: (_id, _word, { weight }) => weight,
};

/**
 * Sections with all words first, then those with some of them. `complete` says whether there are any with all.
 * Words that say nothing are left out, unless the query is made of them, such as "what if".
 */
export const find = (index, query) => {
  const all = wordsOf(query);
  const telling = all.filter((word) => !emptyWords.has(word));
  const words = (telling.length === 0 ? all : telling).join(' ');
  const exact = index.search(words, { ...options, combineWith: 'AND' });
  const seen = new Set(exact.map(({ id }) => id));
  const close =
    exact.length > 2
      ? []
      : index.search(words, { ...options, combineWith: 'OR' }).filter(({ id }) => !seen.has(id));
  return { complete: exact.length > 0, found: [...exact, ...close] };
};
