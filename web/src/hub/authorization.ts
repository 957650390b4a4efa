// The header that says who asks.
import type { Session } from './protocol.ts';

export const authorizationOf = ({ scheme, access_token }: Session): string =>
  `${scheme ?? 'Bearer'} ${access_token}`;
