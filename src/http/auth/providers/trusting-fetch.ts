// A `fetch` with configurable certificate authorities, which the built-in one lacks. Used for issuers with
// certificates of a private authority. Follows no redirects; response sizes are limited.
import { request } from 'node:https';
import type { CustomFetch } from 'openid-client';
import type { TrustedAuthorities } from '../../../model/access/trusted-authorities.ts';
import { maxIssuerAnswerBytes } from './limits.ts';

type Send = (...given: Parameters<CustomFetch>) => Promise<Response>;

const sendTrusting =
  (ca: string[]): Send =>
  (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const options = { method, headers, ca, minVersion: 'TLSv1.2', ...(signal ? { signal } : {}) } as const;
      const asked = request(url, options, (answer) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.byteLength;
          if (bytes > maxIssuerAnswerBytes)
            asked.destroy(new Error(`its response is larger than ${maxIssuerAnswerBytes} bytes`));
          else chunks.push(chunk);
        });
        answer.on('error', reject);
        answer.on('end', () => {
          const told = new Headers();
          for (const [name, values] of Object.entries(answer.headersDistinct))
            for (const value of values ?? []) told.append(name, value);
          const status = answer.statusCode ?? 0;
          const isEmpty = status === 204 || status === 304;
          resolve(new Response(isEmpty ? null : Buffer.concat(chunks), { status, headers: told }));
        });
      });
      asked.on('error', reject);
      // The library sends form bodies or none.
      asked.end(body instanceof URLSearchParams ? body.toString() : undefined);
    });

/** Rejects like `fetch`, with an Error that describes the reason. Plain HTTP has no authorities to configure. */
export const createTrustingFetch =
  (authorities: TrustedAuthorities): CustomFetch =>
  (url, options) => {
    const ca = authorities();
    return ca === undefined || !url.startsWith('https:')
      ? fetch(url, options as RequestInit)
      : sendTrusting(ca)(url, options);
  };
