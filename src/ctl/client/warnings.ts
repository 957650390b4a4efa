// Warnings of an answer (RFC 7234, section 5.5): what the backend did although something looks wrong.
import { oneLine } from '../output/terminal-text.ts';
import type { Reply } from './http-request.ts';

/** The backend refuses fields and names that nothing has, instead of taking the rest with a warning. */
export const strict = { 'Mon-Strict': 'true' } as const;

/** Their texts, without code and agent. */
export const warningsOf = ({ headers }: Pick<Reply, 'headers'>): readonly string[] =>
  [...String(headers.warning ?? '').matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) =>
    oneLine(text.replaceAll(/\\(.)/g, '$1')),
  );
