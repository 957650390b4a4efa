// The audit trail of live actor control: every attempt is logged, and the latest are kept in memory.
import { keptAudits } from './limits.ts';
import type { AuditEntry } from './protocol.ts';
import type { InspectionDeps } from './request.ts';

export interface Audit {
  audit(fields: Omit<AuditEntry, 'atMs'>, text: string): void;
  /** Newest first, for this process; the log has all entries. */
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
