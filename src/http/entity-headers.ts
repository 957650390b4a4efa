// Response headers with the number of entities and the limit, for every authenticated request. Under both names,
// since clients of the reference product print the warning.
import type { Principal } from './auth/principal.ts';
import type { BackendPort } from './backend-port.ts';
import { authorize } from './rbac.ts';

/** The share of the limit from which a warning is sent; slightly higher for large limits. */
const nearShare = (limit: number): number => 0.9 + (0.03 * limit) / 1_000;

const managesLicenses = ({ resources }: BackendPort, principal: Principal): boolean =>
  (['create', 'update'] as const).some(
    (verb) =>
      authorize(resources, principal, { verb, resource: 'license', namespace: '', resourceName: 'license' })
        .allow,
  );

export const entityHeaders = (
  backend: BackendPort,
  principal: Principal,
): Readonly<Record<string, string>> => {
  const { count, limit } = backend.entityAllowance();
  const headers: Record<string, string> = {
    'Sensu-Entity-Count': String(count),
    'Mon-Entity-Count': String(count),
  };
  if (limit <= 0) return headers;
  headers['Sensu-Entity-Limit'] = headers['Mon-Entity-Limit'] = String(limit);
  if (count / limit >= Math.min(nearShare(limit), 1) && managesLicenses(backend, principal))
    headers['Sensu-Entity-Warning'] = headers['Mon-Entity-Warning'] = warningOf(count, limit);
  return headers;
};

const warningOf = (count: number, limit: number): string =>
  `${count} of ${limit} entities are in use; a license with a higher limit is required for more`;
