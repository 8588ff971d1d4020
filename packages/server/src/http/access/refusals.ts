import { type Audit, type AuditEvent, GroupedEvents } from '../../domains/audit/index.ts';

/** Refusals of a caller in an account that are recorded one by one within a minute. */
const writtenMax = 60;

/** Records refusals in the audit log, a limited number a minute for each caller and account, and counts the others. */
export class Refusals extends GroupedEvents {
  constructor(audit: Pick<Audit, 'record'>) {
    super(audit, {
      writtenMax,
      keyOf: ({ account, userId }) => JSON.stringify([account, userId]),
      summaryOf: ({ account, userId, via }, further) => ({
        account,
        userId,
        via,
        action: 'refusals',
        resource: { type: 'account', id: account },
        outcome: 'refused',
        details: { notWritten: further },
      }),
    });
  }

  record(event: Omit<AuditEvent, 'outcome'>): Promise<void> {
    return this.add({ ...event, outcome: 'refused' });
  }
}
