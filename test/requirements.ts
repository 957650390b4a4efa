// What a test needs of the machine besides Node. Where it is missing the test is skipped, loudly; where
// `MON_TEST_REQUIRE` (a list: mongodb,plugins,chromium,...) names it, a missing part is a failure.

export const isRequired = (what: string): boolean =>
  (process.env.MON_TEST_REQUIRE ?? '').split(',').includes(what);

/** `missing` is the reason and how to fix it, or false. Returns the `skip` option of a test. */
export const skipWithout = (what: string, missing: string | false): string | false => {
  if (missing === false) return false;
  if (isRequired(what)) throw new Error(`MON_TEST_REQUIRE names ${what}, but: ${missing}`);
  console.error(`SKIPPED (${what}): ${missing}`);
  return missing;
};
