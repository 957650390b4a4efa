// Server-sent events (WHATWG HTML, section 9.2) out of a body: what the live routes of the backend speak.
import { maxStreamLineCharacters } from '../limits.ts';

export interface ServerSentEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: string;
}

/** One block of lines; undefined for one that holds no data, as heartbeats do. */
const eventOf = (block: string): ServerSentEvent | undefined => {
  let id: string | undefined;
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const [, field = '', value = ''] = /^(\w+)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'id') id = value;
    else if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, event, data: data.join('\n') };
};

/** Ends with the body, also when the connection was cut: who reads comes back with the last id. */
export async function* readServerSentEvents(
  body: AsyncIterable<Buffer | string>,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  try {
    for await (const chunk of body) {
      pending += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
      for (let end = pending.search(/\r?\n\r?\n/); end >= 0; end = pending.search(/\r?\n\r?\n/)) {
        const event = eventOf(pending.slice(0, end));
        pending = pending.slice(end).replace(/^\r?\n\r?\n/, '');
        if (event !== undefined) yield event;
      }
      if (pending.length > maxStreamLineCharacters)
        throw new RangeError('a message of the stream is too long');
    }
  } catch (error) {
    if (error instanceof RangeError) throw error;
  }
}
