// The error catalogue of the interface: code, HTTP status and default message. Errors are refusals (the client's
// fault), faults (ours) or outages (temporary).

export const errorCatalogue = {
  internal: { code: 0, status: 500, message: 'internal error occurred', retry: false },
  invalid: { code: 1, status: 400, message: 'invalid argument(s) received', retry: false },
  tooLarge: { code: 1, status: 413, message: 'the request is too large', retry: false },
  unsupportedType: { code: 1, status: 415, message: 'unsupported content type', retry: false },
  notFound: { code: 2, status: 404, message: 'not found', retry: false },
  alreadyExists: { code: 3, status: 409, message: 'resource already exists', retry: false },
  conflict: { code: 3, status: 409, message: 'resource already exists', retry: false },
  permissionDenied: { code: 4, status: 403, message: 'unauthorized to perform action', retry: false },
  unauthenticated: { code: 5, status: 401, message: 'unauthenticated', retry: false },
  paymentRequired: { code: 6, status: 402, message: 'license required', retry: false },
  preconditionFailed: { code: 7, status: 412, message: 'precondition failed', retry: false },
  /** The backend crashed on this message more than once and does not process it again. The log contains the cause. */
  poison: {
    code: 1,
    status: 422,
    message: 'the backend failed repeatedly on this message and rejects it',
    retry: false,
  },
  deadlineExceeded: { code: 8, status: 504, message: 'deadline exceeded', retry: true },
  unavailable: { code: 0, status: 503, message: 'temporarily unavailable', retry: true },
  storeFull: { code: 0, status: 507, message: 'the store is full', retry: true },
  tooManyRequests: { code: 0, status: 429, message: 'too many requests', retry: true },
} as const;

export type ErrorKind = keyof typeof errorCatalogue;

/** An error from the catalogue. The message says what is wrong, where, and what to do. */
export class MonError extends Error {
  readonly kind: ErrorKind;
  constructor(kind: ErrorKind, message?: string, options?: ErrorOptions) {
    super(message ?? errorCatalogue[kind].message, options);
    this.name = 'MonError';
    this.kind = kind;
  }
  get code(): number {
    return errorCatalogue[this.kind].code;
  }
  get status(): number {
    return errorCatalogue[this.kind].status;
  }
  get retry(): boolean {
    return errorCatalogue[this.kind].retry;
  }
}

/** What a 409 says of a resource or entity that is there already: its path segment, name and namespace. */
export const alreadyExists = (id: {
  readonly segment: string;
  readonly namespace: string;
  readonly name: string;
}): MonError => {
  const where = id.namespace === '' ? '' : ` in namespace ${id.namespace}`;
  return new MonError(
    'alreadyExists',
    `${errorCatalogue.alreadyExists.message}: ${id.segment}/${id.name}${where}`,
  );
};
