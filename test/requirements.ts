// What a test needs of the machine besides Node. Where it is missing the test is skipped, loudly; where
// `MON_TEST_REQUIRE` (a list: mongodb,plugins,chromium,...) names it, a missing part is a failure.

export const isRequired = (what: string): boolean =>
  (process.env.MON_TEST_REQUIRE ?? '').split(',').includes(what);

/** `missing` says what is not there and how to get it, or is false. Returns what a test takes as its `skip`. */
export const skipWithout = (what: string, missing: string | false): string | false => {
  if (missing === false) return false;
  if (isRequired(what)) throw new Error(`MON_TEST_REQUIRE names ${what}, but: ${missing}`);
  console.error(`SKIPPED (${what}): ${missing}`);
  return missing;
};
