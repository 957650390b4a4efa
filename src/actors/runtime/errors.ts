// Errors of the runtime's own calls (ask, restart, ready). Their kinds are among those of the platform's error catalogue.

export type ActorErrorKind = 'notFound' | 'unavailable' | 'deadlineExceeded' | 'poison' | 'internal';

export class ActorError extends Error {
  override readonly name = 'ActorError';
  readonly kind: ActorErrorKind;
  constructor(kind: ActorErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
