// Headers: what an agent says of itself in the WebSocket upgrade, and what the backend answers. Two dialects of the
// same words: ours (`Mon-*`) and that of the reference product's agents; either is read.

export const jsonType = 'application/json';
export const protobufType = 'application/octet-stream';
export type ContentType = typeof jsonType | typeof protobufType;

/** Ours, or that of the reference product. In events the two differ by one key, which the model reads and writes. */
export type Dialect = 'native' | 'reference';

const prefixes: Readonly<Record<Dialect, string>> = { native: 'Mon', reference: 'Sensu' };

/** Set to `1` in the upgrade it asks for acknowledgements; in the answer it grants them. Ours alone. */
export const ackHeader = 'Mon-Ack';
export const backendIdHeader = 'Backend-ID';

/** As Node hands headers out: names in lower case. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface AgentHeaders {
  readonly type: 'agent';
  readonly agentName: string;
  /** Empty when the agent did not say: the edge answers as for an unknown namespace. */
  readonly namespace: string;
  /** The user the agent claims; who it is, the Authorization header proves. Empty under client certificates. */
  readonly user: string;
  readonly subscriptions: readonly string[];
  readonly dialect: Dialect;
  /** Whether it asked for acknowledged delivery. */
  readonly ack: boolean;
  /** The encoding of every message of the session: binary only on exactly `application/octet-stream`. */
  readonly accept: ContentType;
}

export interface HeaderRefusal {
  readonly type: 'refused';
  readonly message: string;
}

const first = (headers: HeaderMap, name: string): string => {
  const value = headers[name.toLowerCase()];
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
};

/** The names in a comma-joined list; blank ones are no subscriptions. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads who is calling. Ours wins where a caller speaks both dialects. Refuses a caller that names no agent. */
export const readAgentHeaders = (headers: HeaderMap): AgentHeaders | HeaderRefusal => {
  const dialect = (['native', 'reference'] as const).find(
    (candidate) => first(headers, `${prefixes[candidate]}-AgentName`) !== '',
  );
  if (dialect === undefined)
    return { type: 'refused', message: 'the upgrade request names no agent: set the header Mon-AgentName' };
  const read = (name: string) => first(headers, `${prefixes[dialect]}-${name}`);
  return {
    type: 'agent',
    agentName: read('AgentName'),
    namespace: read('Namespace'),
    user: read('User'),
    subscriptions: splitList(read('Subscriptions')),
    dialect,
    ack: first(headers, ackHeader) === '1',
    accept: first(headers, 'accept') === protobufType ? protobufType : jsonType,
  };
};

export interface AgentIntroduction {
  readonly agentName: string;
  readonly namespace: string;
  readonly subscriptions: readonly string[];
  readonly accept: ContentType;
  /** Absent under client certificates. */
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** The agent's own upgrade headers, in both dialects, so that it can talk to either backend. */
export const agentHeaders = (agent: AgentIntroduction): Record<string, string> => {
  const headers: Record<string, string> = { Accept: agent.accept, [ackHeader]: '1' };
  for (const prefix of Object.values(prefixes)) {
    headers[`${prefix}-AgentName`] = agent.agentName;
    headers[`${prefix}-Namespace`] = agent.namespace;
    headers[`${prefix}-Subscriptions`] = agent.subscriptions.join(',');
    if (agent.credentials !== undefined) headers[`${prefix}-User`] = agent.credentials.user;
  }
  if (agent.credentials !== undefined) {
    const { user, password } = agent.credentials;
    headers.Authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }
  return headers;
};

export interface BackendAnswer {
  readonly contentType: ContentType;
  readonly backendId: string;
  readonly ack: boolean;
  /** Every encoding this backend reads, one `Accept` line each: an agent looks for an exact line. */
  readonly accepts: readonly ContentType[];
}

/** The lines the backend adds to its 101 answer. */
export const backendHeaderLines = (answer: BackendAnswer): string[] => [
  ...answer.accepts.map((type) => `Accept: ${type}`),
  `Content-Type: ${answer.contentType}`,
  `${backendIdHeader}: ${answer.backendId}`,
  ...(answer.ack ? [`${ackHeader}: 1`] : []),
];

export interface Agreement {
  readonly contentType: ContentType;
  readonly backendId: string;
  readonly ack: boolean;
  readonly dialect: Dialect;
}

/** What an agent takes from the answer: a backend that grants acknowledgements speaks our dialect. */
export const readBackendAnswer = (rawHeaders: readonly string[], asked: ContentType): Agreement => {
  const values = (wanted: string) =>
    rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === wanted.toLowerCase());
  const ack = values(ackHeader).includes('1');
  return {
    contentType: asked === protobufType && values('Accept').includes(protobufType) ? protobufType : jsonType,
    backendId: values(backendIdHeader)[0] ?? '',
    ack,
    dialect: ack ? 'native' : 'reference',
  };
};
