// Checks for which entities a session may report. Evaluated for every event that is not for the agent's own entity.
// Proxy checks send thousands, so results are cached until users or rules change.
import type { Resources } from '../../actors/resources/resources.ts';
import { currentPrincipal } from '../auth/current-principal.ts';
import type { Principal } from '../auth/principal.ts';
import { maxRememberedRights } from './limits.ts';
import { mayReport, type RulesVersion } from './standing.ts';

export interface ReportingRights {
  /** A permission on the entity covers all its checks; a permission on `entity/check` covers only that check. */
  mayReportFor(entity: string, check?: string): boolean;
}

export const createReportingRights = (options: {
  readonly table: Resources;
  readonly principal: Principal;
  readonly namespace: string;
  readonly rules: Pick<RulesVersion, 'current'>;
}): ReportingRights => {
  const { table, principal, namespace, rules } = options;
  const known = new Map<string, boolean>();
  let version = rules.current();

  const ask = (resourceName: string): boolean => {
    if (version !== rules.current()) {
      known.clear();
      version = rules.current();
    }
    const answer = known.get(resourceName);
    if (answer !== undefined) return answer;
    const now = currentPrincipal(table, principal);
    const allowed = now !== null && mayReport(table, now, namespace, resourceName);
    if (known.size >= maxRememberedRights) known.clear();
    known.set(resourceName, allowed);
    return allowed;
  };

  return {
    mayReportFor: (entity, check) => ask(entity) || (check !== undefined && ask(`${entity}/${check}`)),
  };
};
