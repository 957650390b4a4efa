// Requests to the backend: the public API and the inspection API, nothing else. Errors carry what the backend said.
import { signal } from '@preact/signals';
import { session } from '../hub/connection.ts';
import { accessToken } from './session.ts';

export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Whether the last request reached the backend. */
export const reachable = signal(true);

/** No answer is waited for longer. */
const answerLimitMs = 20_000;

export const request = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const token = await accessToken();
  let response = await ask(path, init, token);
  if (response.status === 401 && token !== undefined) {
    // Another tab may have got a new one since.
    const next = await accessToken(token);
    if (next !== undefined && next !== token) response = await ask(path, init, next);
  }
  if (!response.ok && response.status !== 304) throw new ApiError(response.status, await messageOf(response));
  return response;
};

const ask = async (path: string, init: RequestInit, token = ''): Promise<Response> => {
  const headers = new Headers(init.headers);
  headers.set('authorization', `${session.peek()?.scheme ?? 'Bearer'} ${token}`);
  if (init.body !== undefined) {
    headers.set('content-type', 'application/json');
    // A misspelled field is reported before it is dropped.
    headers.set('mon-strict', 'true');
  }
  const limit = AbortSignal.timeout(answerLimitMs);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  try {
    const response = await fetch(path, { ...init, headers, signal });
    reachable.value = true;
    return response;
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'AbortError') reachable.value = false;
    if (name === 'TimeoutError')
      throw new Error(`The backend did not answer within ${answerLimitMs / 1000} s.`);
    throw error;
  }
};

const messageOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.trim() || `the backend answered ${response.status}`;
  }
};

export const getJson = async <T>(path: string, init?: RequestInit): Promise<T> =>
  (await request(path, init)).json() as Promise<T>;

export const send = async (method: string, path: string, body?: unknown): Promise<Response> =>
  request(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

export const postJson = async <T>(path: string, body: unknown): Promise<T> =>
  (await send('POST', path, body)).json() as Promise<T>;

export const encode = encodeURIComponent;
export const inNamespace = (namespace: string, path: string): string =>
  `/api/core/v2/namespaces/${encode(namespace)}/${path}`;
export const inspect = (path: string): string => `/api/inspect/v1/${path}`;

export interface ListPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** One page of a list. */
export const getPage = async <T>(
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): Promise<ListPage<T>> => {
  const known = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const response = await request(`${path}?${new URLSearchParams(known)}`);
  return {
    items: (await response.json()) as T[],
    next: response.headers.get('mon-continue') ?? response.headers.get('sensu-continue') ?? undefined,
  };
};
