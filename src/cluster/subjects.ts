// Subjects of the bus.

/** Whether a subject matches the pattern of a subscription. */
export const matchesSubject = (pattern: string, subject: string): boolean => {
  const wanted = pattern.split('.');
  const tokens = subject.split('.');
  for (const [index, part] of wanted.entries()) {
    if (part === '>') return tokens.length > index;
    if (index >= tokens.length || (part !== '*' && part !== tokens[index])) return false;
  }
  return wanted.length === tokens.length;
};
