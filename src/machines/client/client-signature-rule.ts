// Signatures of clients: the first one seen is adopted, and from then on everything must carry it. Taking one back takes deleting the client.
import type { ClientContext } from './client-facts.ts';

export const signatureOf = (message: Readonly<Record<string, unknown>>): string => {
  const { signature } = message;
  return typeof signature === 'string' ? signature : '';
};

export type SignatureVerdict =
  | { readonly accept: true; readonly adopt: boolean }
  | { readonly accept: false; readonly why: 'unsigned' | 'signedOtherwise' };

/** A keepalive may begin to sign at any time; a result can't. */
export const judgeSignature = (
  known: Pick<ClientContext, 'signature'>,
  signature: string,
  message: 'keepalive' | 'result',
): SignatureVerdict => {
  if (known.signature === '') return { accept: true, adopt: message === 'keepalive' && signature !== '' };
  if (known.signature === signature) return { accept: true, adopt: false };
  return { accept: false, why: signature === '' ? 'unsigned' : 'signedOtherwise' };
};
