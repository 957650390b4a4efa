// Questions from one backend to another: a method by name, parameters and the answer as JSON. For lists, inspection and control,
// where a person waits; events travel in batches (forward.ts).
import { type ErrorKind, errorCatalogue, MonError } from '../model/errors.ts';
import { parseGuarded } from '../model/schema/guarded-json.ts';
import { type Bus, BusError, type BusMessage } from './bus.ts';
import { answerHeadBytes } from './limits.ts';

/** `maxBytes`: of the answer as JSON. Lists are cut to it (cut-page.ts); anything larger is refused. */
type AskMethod = (params: unknown, maxBytes: number) => Promise<unknown>;

export type AskMethods = Readonly<Record<string, AskMethod>>;

type Answer =
  | { readonly value: unknown }
  | { readonly error: { readonly kind: string; readonly message: string } };

const encode = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** Answers questions on the subject until the returned function is called. */
export const answerAsks = (bus: Bus, subject: string, methods: AskMethods): (() => void) =>
  bus.subscribe(subject, async (message) => {
    const answer = await answerTo(message, methods, bus.maxPayloadBytes - answerHeadBytes);
    const bytes = encode(answer);
    if (bytes.length <= bus.maxPayloadBytes) return message.respond(bytes);
    const text = `an answer of ${bytes.length} bytes is larger than the NATS server takes (max_payload ${bus.maxPayloadBytes})`;
    message.respond(encode({ error: { kind: 'tooLarge', message: text } }));
  });

const answerTo = async ({ data }: BusMessage, methods: AskMethods, maxBytes: number): Promise<Answer> => {
  const question = parseGuarded(Buffer.from(data), { maxBytes: data.length });
  const { method, params } = (question.ok ? question.value : {}) as { method?: unknown; params?: unknown };
  if (typeof method !== 'string' || !Object.hasOwn(methods, method))
    return {
      error: { kind: 'unavailable', message: `this version cannot answer ${JSON.stringify(method)}` },
    };
  try {
    return { value: (await methods[method]?.(params, maxBytes)) ?? null };
  } catch (error) {
    return {
      error: { kind: error instanceof MonError ? error.kind : 'internal', message: messageOf(error) },
    };
  }
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * What the other backend answers. Rejects with a BusError when no answer came, and with the MonError that the other backend
 * answered with.
 */
export const ask = async (
  bus: Bus,
  subject: string,
  question: { readonly method: string; readonly params: unknown },
  withinMs: number,
): Promise<unknown> => {
  const reply = await bus.request(subject, encode(question), withinMs);
  const parsed = parseGuarded(Buffer.from(reply), { maxBytes: reply.length });
  if (!parsed.ok) throw new MonError('internal', `${subject}: the answer can't be read: ${parsed.message}`);
  const answer = parsed.value as Answer;
  if ('error' in answer) throw new MonError(kindOf(answer.error.kind), answer.error.message);
  return answer.value;
};

const kindOf = (kind: string): ErrorKind =>
  Object.hasOwn(errorCatalogue, kind) ? (kind as ErrorKind) : 'internal';

/** Why a backend gave no answer, in words for operators. */
export const whyNoAnswer = (error: unknown): string => {
  if (!(error instanceof BusError)) return messageOf(error);
  if (error.code === 'timeout') return 'no answer in time';
  if (error.code === 'nobodyListens') return 'not reachable';
  return messageOf(error);
};
