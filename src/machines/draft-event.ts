// A first draft of an event for a dry run, filled from what the actor knows, so that nobody starts from `{}`. The page and
// mon-ctl use it. Pure.

interface Deadline {
  readonly name: string;
  readonly atMs: number;
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `context` and `deadlines` are those of the actor; a result is the opposite of the last one. */
export const draftEvent = (
  type: string,
  context: unknown,
  deadlines: readonly Deadline[],
  nowMs: number,
): Fields => {
  const known = isFields(context) ? context : {};
  const base = { type, nowMs: Math.round(nowMs) };
  switch (type) {
    case 'result.received':
      return { ...base, silenced: [], event: nextResult(known['event'], nowMs) };
    case 'deadline.reached':
      return dueDeadline(deadlines[0], nowMs);
    case 'delivery.finished':
      return { ...base, seq: headSeq(known) };
    case 'keepalive.received':
      return { ...base, event: nextResult(known['keepalive'], nowMs), newId: randomId() };
    default:
      return base;
  }
};

/** The last result again, as one that comes now and turns bad if it was good, good if it was bad. */
const nextResult = (event: unknown, nowMs: number): unknown => {
  if (!isFields(event) || !isFields(event['check'])) return {};
  const executed = Math.floor(nowMs / 1000);
  const { history: _history, ...check } = event['check'];
  const status = check['status'] === 0 ? 2 : 0;
  return { ...event, id: randomId(), timestamp: executed, check: { ...check, status, executed } };
};

/** The deadline that runs, as if its time had come. */
const dueDeadline = (deadline: Deadline | undefined, nowMs: number): Fields => ({
  type: 'deadline.reached',
  name: deadline?.name ?? 'ttl',
  nowMs: Math.round(Math.max(nowMs, deadline?.atMs ?? 0)),
  ...(deadline?.name === 'keepalive' ? { newId: randomId() } : { entityDown: false, silenced: [] }),
});

/** `crypto.randomUUID` is missing where the page is not served over TLS or from this machine. */
const randomId = (): string =>
  [8, 4, 4, 4, 12]
    .map((length) => Array.from({ length }, () => Math.floor(Math.random() * 16).toString(16)).join(''))
    .join('-');

const headSeq = (context: Fields): unknown => {
  const pending = context['pending'];
  const head: unknown = Array.isArray(pending) ? pending[0] : undefined;
  return isFields(head) ? head['seq'] : 0;
};
