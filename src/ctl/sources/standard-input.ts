// Standard input, whole. Refused where a person sits: they would wait for us and we for them.
import { CtlError } from '../failure.ts';
import { maxSourceBytes } from '../limits.ts';
import type { Session } from '../session.ts';

export const readStandardInput = async (session: Session): Promise<string> => {
  const { in: input } = session.streams;
  if (input.isTTY) throw new CtlError('no file was given: use -f FILE, or send the text to standard input');
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxSourceBytes) throw new CtlError(`standard input is larger than ${maxSourceBytes} bytes`);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
};
