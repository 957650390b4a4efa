// Server-sent events of several streams, read from one answer.

export interface Message {
  /** Which stream it is of. */
  readonly stream: string;
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** `onHeard` is called for everything that comes, heartbeats too. */
export async function* readMessages(
  response: Response,
  onHeard: () => void,
): AsyncGenerator<Message, undefined> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) return undefined;
    onHeard();
    const blocks = (buffer + chunk.value).split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const message = messageOf(block);
      if (message !== undefined) yield message;
    }
  }
}

const messageOf = (block: string): Message | undefined => {
  const lines = block.split('\n');
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const event = field('event');
  if (event === undefined) return undefined;
  return { stream: field('stream') ?? '', event, id: field('id'), data: JSON.parse(field('data') ?? 'null') };
};
