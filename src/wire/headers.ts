// Headers of the WebSocket upgrade: what an agent reports about itself, and the backend's response. Two sets of
// header names are accepted: ours (`Mon-*`) and those of the reference product.

export const jsonType = 'application/json';
export const protobufType = 'application/octet-stream';
export type ContentType = typeof jsonType | typeof protobufType;

/**
 * `native` is ours, `reference` that of the reference product. In events they differ in one key, which the model
 * handles.
 */
type Dialect = 'native' | 'reference';

const prefixes: Readonly<Record<Dialect, string>> = { native: 'Mon', reference: 'Sensu' };

/** `1` in the request asks for acknowledgements, in the response it grants them. Native dialect only. */
const ackHeader = 'Mon-Ack';
const backendIdHeader = 'Backend-ID';

/** Headers as parsed by Node, with lowercase names. */
export type HeaderMap = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface AgentHeaders {
  readonly type: 'agent';
  readonly agentName: string;
  /** Empty if not sent: treated as an unknown namespace. */
  readonly namespace: string;
  /** The user name from the header; the Authorization header authenticates it. Empty with client certificates. */
  readonly user: string;
  readonly subscriptions: readonly string[];
  readonly dialect: Dialect;
  /** Whether the agent asked for acknowledgements. */
  readonly ack: boolean;
  /** The encoding of all messages in the session: binary only for exactly `application/octet-stream`. */
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

/** The names in a comma-separated list, without blank ones. */
const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Reads the agent's headers. Native names take precedence. Rejects a request without an agent name. */
export const readAgentHeaders = (headers: HeaderMap): AgentHeaders | HeaderRefusal => {
  const dialect = (['native', 'reference'] as const).find(
    (candidate) => first(headers, `${prefixes[candidate]}-AgentName`) !== '',
  );
  if (dialect === undefined)
    return {
      type: 'refused',
      message: 'the upgrade request has no agent name: set the header Mon-AgentName',
    };
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
  /** Absent with client certificates. */
  readonly credentials?: { readonly user: string; readonly password: string };
}

/** The agent's upgrade headers, with both sets of names, so that it can connect to either backend. */
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
  /** The encodings this backend supports, one `Accept` line each: agents look for an exact line. */
  readonly accepts: readonly ContentType[];
}

/** The header lines the backend adds to its 101 response. */
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

/** Reads the backend's response. A backend that grants acknowledgements uses the native dialect. */
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
