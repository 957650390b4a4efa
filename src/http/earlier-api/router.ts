// The route table of the earlier API, and route lookup.
import type { IncomingMessage } from 'node:http';
import { aggregateRoutes } from './aggregate-routes.ts';
import { checkRoutes } from './check-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { resultRoutes } from './result-routes.ts';
import type { EarlierRoute } from './route.ts';
import { silencedRoutes } from './silenced-routes.ts';
import { stashRoutes } from './stash-routes.ts';
import { statusRoutes } from './status-routes.ts';

export const earlierRoutes: readonly EarlierRoute[] = [
  ...statusRoutes,
  ...clientRoutes,
  ...checkRoutes,
  ...resultRoutes,
  ...eventRoutes,
  ...aggregateRoutes,
  ...silencedRoutes,
  ...stashRoutes,
];

export interface FoundRoute {
  readonly route: EarlierRoute;
  readonly params: Readonly<Record<string, string>>;
}

/** `:name` matches one segment, `*name` the rest of the path. */
const patternOf = (path: string): RegExp => {
  const named = path
    .replace(/:(\w+)/g, (_, name) => `(?<${name}>[\\w.:|-]+)`)
    .replace(/\*(\w+)/g, (_, name) => `(?<${name}>.+)`);
  return new RegExp(`^${named}$`);
};

const table = earlierRoutes.map((route) => ({ route, pattern: patternOf(route.path) }));

/** Undefined: the path does not exist. `allowed`: the path exists for other methods. */
export const findRoute = (
  method: string,
  path: string,
): FoundRoute | { readonly allowed: readonly string[] } | undefined => {
  const matches = table.flatMap(({ route, pattern }): FoundRoute[] => {
    const found = pattern.exec(path);
    return found === null ? [] : [{ route, params: { ...found.groups } }];
  });
  if (matches.length === 0) return undefined;
  const wanted = method === 'HEAD' ? 'GET' : method;
  const match = matches.find(({ route }) => route.method === wanted);
  if (match !== undefined) return match;
  const allowed = matches.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  return { allowed: [...new Set(allowed)] };
};

/** The decoded path; empty if it cannot be decoded. */
export const pathOf = (request: IncomingMessage): string => {
  const [path = '/'] = (request.url ?? '/').split('?');
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
};

export const queryOf = (request: IncomingMessage): URLSearchParams =>
  new URLSearchParams((request.url ?? '').split('?').slice(1).join('?'));
