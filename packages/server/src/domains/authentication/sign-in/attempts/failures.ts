import type { JobHandler } from '../../../../platform/jobs/index.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { Audit } from '../../../audit/index.ts';
import { recordInAccounts } from '../events.ts';

export const failureJob = 'sign-in-failure';

/** Wrong attempt. */
export interface FailureJob {
  /** Id; empty for an unknown user, without event. */
  user: string;
  requestId: string;
  factor: 'password' | 'code';
}

/** Returns the job that records a wrong sign-in attempt in the accounts of the user. */
export function recordFailures(records: Records, audit: Audit): JobHandler {
  return {
    kind: failureJob,
    run: async (run) => {
      const { user = '', requestId = '', factor = '' } = run.job.payload;
      if (user === '') return;
      await records.transact(async (tx) => {
        if (!(await run.holdsLease(tx))) return;
        const event = { userId: user, via: 'sign-in', requestId, details: { factor } };
        await recordInAccounts(audit, tx, { ...event, action: 'signIn.failed', outcome: 'refused' });
      });
    },
    // The attempt was refused; the log of the queue has the failure to record it.
    onExhausted: async () => undefined,
  };
}
