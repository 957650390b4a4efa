// Logging in at an OIDC issuer: which ones there are, the way there and back. What comes back is taken out of the address
// bar at once.
import { type Arrival, addressWithNonce, arrivalAt, newNonce } from './arrival.ts';

export interface Issuer {
  readonly name: string;
  /** Where the browser goes; it comes back to `/ui/`. */
  readonly url: string;
}

/** None when the backend knows of none, or does not answer: the password form is there either way. */
export const askIssuers = async (): Promise<readonly Issuer[]> => {
  const response = await fetch('/auth/providers').catch(() => undefined);
  return response?.ok === true ? ((await response.json()) as Issuer[]) : [];
};

const returnKey = 'mon.return';
const nonceKey = 'mon.login';

/** Leaves for the issuer; the tab that comes back finds the view that was asked for. */
export const goToIssuer = ({ url }: Issuer): void => {
  const nonce = newNonce();
  sessionStorage.setItem(nonceKey, nonce);
  sessionStorage.setItem(returnKey, location.pathname + location.search);
  location.assign(addressWithNonce(url, location.origin, nonce));
};

/** What the login at an issuer came to, if the page was opened by one. A nonce is good for one arrival. */
export const arrive = (): Arrival | undefined => {
  const arrival = arrivalAt(location, sessionStorage.getItem(nonceKey));
  if (arrival === undefined) return undefined;
  history.replaceState(null, '', sessionStorage.getItem(returnKey) ?? location.pathname);
  sessionStorage.removeItem(nonceKey);
  sessionStorage.removeItem(returnKey);
  return arrival;
};
