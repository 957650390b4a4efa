// Who touched which live actor, and what came of it: a line in the log for each try, and the last of them at hand.
import { keptAudits } from './limits.ts';
import type { AuditEntry } from './protocol.ts';
import type { InspectionDeps } from './request.ts';

export interface Audit {
  audit(fields: Omit<AuditEntry, 'atMs'>, text: string): void;
  /** Newest first; those of this process. The log has them all. */
  entries(): readonly AuditEntry[];
}

export const createAudit = ({ port, audit: write }: Pick<InspectionDeps, 'port' | 'audit'>): Audit => {
  const kept: AuditEntry[] = [];
  return {
    audit(fields, text) {
      write({ ...fields }, text);
      kept.unshift({ atMs: port.nowMs(), ...fields });
      if (kept.length > keptAudits) kept.pop();
    },
    entries: () => kept,
  };
};
