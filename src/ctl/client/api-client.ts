// The API as mon-ctl uses it: who asks, JSON in and out, refusals as errors with the server's own words, lists page by page.
import { isObject } from '../../model/schema/is-object.ts';
import { version } from '../../program/version.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { defaultPageSize, maxShownAnswerCharacters } from '../limits.ts';
import { type Asked, openStream, type Reply, sendRequest, type Transport } from './http-request.ts';
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts';

export type Json = Record<string, unknown>;

/** Who asks. `renew` is called when the server no longer takes the credentials; undefined: there is no other. */
export interface Credentials {
  authorization(): Promise<string>;
  renew(): Promise<string | undefined>;
}

export interface Question {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const parseOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Of an answer of 400 or more. */
export const refusalOf = (reply: Reply): RefusedError => {
  const body = parseOr(reply.text);
  if (isObject(body) && typeof body.message === 'string')
    return new RefusedError(
      body.message,
      reply.status,
      typeof body.code === 'number' ? body.code : undefined,
    );
  const shown = reply.text.trim().slice(0, maxShownAnswerCharacters);
  return new RefusedError(
    `the server answered ${reply.status}${shown === '' ? '' : `: ${shown}`}`,
    reply.status,
    undefined,
  );
};

export class ApiClient {
  readonly base: string;
  readonly #transport: Transport;
  readonly #credentials: Credentials | undefined;

  constructor(base: string, transport: Transport, credentials?: Credentials) {
    this.base = base;
    this.#transport = transport;
    this.#credentials = credentials;
  }

  #asked(method: string, path: string, question: Question, authorization: string | undefined): Asked {
    const url = new URL(this.base + path);
    for (const [name, value] of Object.entries(question.query ?? {}))
      if (value !== undefined && value !== '') url.searchParams.set(name, value);
    return {
      method,
      url,
      headers: {
        Accept: 'application/json',
        'Content-Type': 'application/json',
        'User-Agent': `mon-ctl/${version}`,
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        ...question.headers,
      },
      ...(question.body === undefined ? {} : { body: JSON.stringify(question.body) }),
    };
  }

  /** With the credentials, and once more with new ones when they are no longer taken. */
  async #authorized<T extends { readonly status: number }>(
    send: (authorization: string | undefined) => Promise<T>,
  ): Promise<T> {
    const reply = await send(await this.#credentials?.authorization());
    if (reply.status !== 401 || this.#credentials === undefined) return reply;
    const renewed = await this.#credentials.renew();
    return renewed === undefined ? reply : send(renewed);
  }

  /** Resolves with any status. */
  send(method: string, path: string, question: Question = {}): Promise<Reply> {
    return this.#authorized((authorization) =>
      sendRequest(this.#asked(method, path, question, authorization), this.#transport),
    );
  }

  /** Server-sent events until the server ends the stream or `signal` does. Throws a RefusedError from 400 on. */
  async *events(path: string, question: Question, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const headers = { Accept: 'text/event-stream', ...question.headers };
    const opened = await this.#authorized((authorization) =>
      openStream(this.#asked('GET', path, { ...question, headers }, authorization), this.#transport, signal),
    );
    if (!('body' in opened)) throw refusalOf(opened);
    yield* readServerSentEvents(opened.body);
  }

  /** Throws a RefusedError from 400 on. */
  async ask(method: string, path: string, question: Question = {}): Promise<Reply> {
    const reply = await this.send(method, path, question);
    if (reply.status >= 400) throw refusalOf(reply);
    return reply;
  }

  async get(path: string, query: Question['query'] = {}): Promise<unknown> {
    const { text } = await this.ask('GET', path, { query });
    const body = text.trim() === '' ? null : parseOr(text);
    if (body === undefined)
      throw new CtlError(`${this.base}${path} did not answer with JSON; is this the API of a backend?`);
    return body;
  }

  async getOne(path: string): Promise<Json> {
    const body = await this.get(path);
    if (!isObject(body)) throw new CtlError(`${this.base}${path} did not answer with an object`);
    return body;
  }

  /** Page by page until there is none, also where a page is one object or empty. */
  async *pages(
    path: string,
    query: Question['query'] = {},
    pageSize = defaultPageSize,
  ): AsyncGenerator<Reply & { readonly items: readonly Json[] }> {
    let next: string | undefined;
    do {
      const reply = await this.ask('GET', path, {
        query: { ...query, limit: String(pageSize), continue: next },
      });
      const body = reply.text.trim() === '' ? [] : parseOr(reply.text);
      if (body === undefined || (body !== null && typeof body !== 'object'))
        throw new CtlError(`${this.base}${path} did not answer with a list`);
      const items = body === null ? [] : Array.isArray(body) ? body : [body];
      if (!items.every(isObject))
        throw new CtlError(`${this.base}${path} did not answer with a list of objects`);
      yield { ...reply, items };
      const token = reply.headers['mon-continue'] ?? reply.headers['sensu-continue'];
      const last: string | undefined = next;
      next = Array.isArray(token) ? token[0] : token;
      if (next !== undefined && next !== '' && next === last)
        throw new CtlError(`${this.base}${path} answers with the same page again and again`);
    } while (next !== undefined && next !== '');
  }

  async list(path: string, query: Question['query'] = {}, pageSize?: number): Promise<Json[]> {
    const all: Json[] = [];
    for await (const { items } of this.pages(path, query, pageSize)) for (const item of items) all.push(item);
    return all;
  }
}
