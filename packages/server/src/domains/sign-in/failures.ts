import type { JobHandler } from '../../platform/jobs/index.ts';
import type { Records } from '../../platform/records/records.ts';
import type { Audit } from '../audit/index.ts';
import { tellAccounts } from './events.ts';

export const failureJob = 'sign-in-failure';

/** A wrong attempt. */
export interface FailureJob {
  /** Id; '' when there is no such user, so that nothing is to be told. */
  user: string;
  requestId: string;
  factor: 'password' | 'code';
}

/** The job that tells the accounts of a user of a wrong attempt to sign in as him. */
export function tellFailures(records: Records, audit: Audit): JobHandler {
  return {
    kind: failureJob,
    concurrencyMax: 2,
    run: async (run) => {
      const { user = '', requestId = '', factor = '' } = run.job.payload;
      if (user === '') return;
      await records.transact(async (tx) => {
        if (!(await run.holdsLease(tx))) return;
        const event = { userId: user, via: 'sign-in', requestId, details: { factor } };
        await tellAccounts(audit, tx, { ...event, action: 'signIn.failed', outcome: 'refused' });
      });
    },
    // The attempt was refused; that it could not be written down is in the log of the queue.
    onExhausted: async () => undefined,
  };
}
