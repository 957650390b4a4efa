// Errors of NATS in words for operators.
import { errors } from '@nats-io/transport-node';
import { BusError } from './bus.ts';
import { busConnectMs } from './limits.ts';

const causes = (error: unknown): Error[] => {
  if (!(error instanceof Error)) return [new Error(String(error))];
  return error.cause === undefined ? [error] : [error, ...causes(error.cause)];
};

const isLogin = (error: Error): boolean =>
  error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;

/** What went wrong and what to do, for an error that the server sent while the connection was up. */
export const wordsOf = (error: Error): string => {
  if (error instanceof errors.PermissionViolationError) {
    const verb = error.operation === 'publish' ? 'publish to' : 'subscribe to';
    return `the NATS server forbids this user to ${verb} ${error.subject}: allow mon.> and _INBOX.> for both`;
  }
  if (isLogin(error))
    return `the NATS server refuses the credentials (${error.message}): correct them, or the server's configuration`;
  if (/slow consumer/i.test(error.message))
    return 'the NATS server ended the connection, since this backend did not read fast enough (slow consumer). Events are sent again; if this repeats, the backend needs more CPU, or the server a larger max_pending';
  if (/maximum connections/i.test(error.message))
    return 'the NATS server takes no more connections: raise its max_connections';
  return `NATS: ${error.message}`;
};

const adviceFor = (error: unknown): string => {
  const chain = causes(error);
  const text = chain.map(({ message, code }: Error & { code?: string }) => `${code ?? ''} ${message}`).join();
  if (chain.some(isLogin)) return 'Check the user, password, token, nkey or credentials file of the bus';
  if (/does not support 'tls'/.test(text))
    return 'The server has no TLS: use nats://, or configure tls there';
  if (/certificate|self.signed|tls|ssl|alert/i.test(text)) return 'Check the CA and the client certificate';
  if (chain.some((each) => each instanceof errors.TimeoutError))
    return 'Something accepts the connection and does not answer: does the server require a client certificate?';
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return 'The name of the host is not known here';
  if (/unexpected response|reset|closed/i.test(text)) return 'Is it a NATS server that listens there?';
  return 'Start nats-server, or correct the URL of the bus';
};

const timeoutWords = `no answer within ${busConnectMs / 1000} s`;

/** Why the bus can't be opened, and what to do. */
export const openingError = (servers: string, error: unknown): BusError => {
  if (error instanceof BusError) return error;
  const chain = causes(error);
  const isConfigured = chain.some(isLogin);
  const said = chain.find(({ message }) => message !== '')?.message ?? 'no connection';
  const why = chain.some((each) => each instanceof errors.TimeoutError) ? timeoutWords : said;
  const text = `the bus at ${servers} can't be reached: ${why}. ${adviceFor(error)}`;
  return new BusError(isConfigured ? 'invalid' : 'disconnected', text, { cause: error });
};
