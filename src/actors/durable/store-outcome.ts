// What a failed write means for its sender. The store's own errors end here: beyond the writer there are only outcomes.
import { MonError } from '../../model/errors.ts';
import { StoreError } from '../../store/snapshot-store.ts';
import { outcomeOfError } from '../outcomes/outcome-rules.ts';
import type { Outcome } from '../runtime/outcome.ts';
import { ShardElsewhere, StaleOwner } from './commit-slot.ts';

type Failure = Exclude<Outcome, { type: 'done' | 'busy' }>;

const outage = (kind: 'unavailable' | 'storeFull', message: string, cause: Error): Failure => ({
  type: 'outage',
  error: new MonError(kind, message, { cause }),
});

export const storeOutcome = (error: Error): Failure => {
  // Another backend owns the record: a sender that tries again may reach that one.
  if (error instanceof StaleOwner || error instanceof ShardElsewhere)
    return outage('unavailable', error.message, error);
  if (!(error instanceof StoreError)) return outcomeOfError(error);
  switch (error.code) {
    case 'full':
      return outage('storeFull', `the store is full, nothing was changed: ${error.message}`, error);
    case 'invalid':
      // A record that is too large or has an impossible key stays so: another try is no use.
      return {
        type: 'invalid',
        error: new MonError('invalid', `cannot be stored: ${error.message}`, { cause: error }),
      };
    default:
      return outage(
        'unavailable',
        `the store did not answer: ${error.message}; the change may still take effect, so look before you repeat what makes something new`,
        error,
      );
  }
};
