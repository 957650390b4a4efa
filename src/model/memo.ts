// Remembers the last answers of a slow pure function of one string: a check's cron string or expression is judged
// with every event that carries it, and is nearly always the one judged before.

/** Holds at most `capacity` answers; the one asked first leaves first. */
export const remember = <T>(capacity: number, answer: (text: string) => T): ((text: string) => T) => {
  const answers = new Map<string, { readonly value: T }>();
  return (text) => {
    const known = answers.get(text);
    if (known !== undefined) return known.value;
    const value = answer(text);
    for (const oldest of answers.keys()) {
      if (answers.size < capacity) break;
      answers.delete(oldest);
    }
    answers.set(text, { value });
    return value;
  };
};
