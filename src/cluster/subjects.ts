// Subjects of the bus. A cluster has a name, so that several can share one server; every part is one token.
import { MonError } from '../model/errors.ts';

const token = /^[A-Za-z0-9_-]{1,64}$/;

const checked = (what: string, name: string): string => {
  if (token.test(name)) return name;
  const rule = 'must be 1 to 64 letters, digits, - or _, since it becomes part of subjects on the bus';
  throw new MonError('invalid', `the name of the ${what} ${rule} (got ${JSON.stringify(name)})`);
};

/** Throws a MonError for a name that cannot be part of a subject. */
export const subjectsOf = (cluster: string) => {
  const prefix = `mon.${checked('cluster', cluster)}`;
  return {
    /** Batches of messages for actors that live on this backend. */
    shards: (backend: string): string => `${prefix}.shards.${checked('backend', backend)}`,
    /** Lists, inspection and control of what lives on this backend. */
    ask: (backend: string): string => `${prefix}.ask.${checked('backend', backend)}`,
    /** Leases have changed: it is worth reading them now. From all to all. */
    leases: `${prefix}.leases`,
    /** Changes of the configuration, from all to all. */
    changed: `${prefix}.changed`,
  };
};

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
