import type { ResourceAttributes } from '../../access/resource.ts';
import type { AuditAction } from './actions.ts';
import type { Audit, AuditEvent } from './audit.ts';
import { GroupedEvents } from './grouped-events.ts';

/** Use of a signed address or of a grant. */
export interface AddressUse {
  /** User and credential that asked for it. */
  by: { userId: string; via: string };
  action: AuditAction;
  resource: ResourceAttributes;
  details?: AuditEvent['details'];
  requestId: string;
}

/**
 * Records uses of signed addresses and grants: the first one of a credential on a resource in each minute, and the number of
 * the others. The first is recorded before its bytes are sent. A client that reads a file in 10,000 blocks leaves two events a
 * minute.
 */
export class AddressUses extends GroupedEvents {
  constructor(audit: Pick<Audit, 'record'>) {
    super(audit, {
      writtenMax: 1,
      keyOf: ({ requestId: _, ...event }) => JSON.stringify(event),
      summaryOf: ({ requestId: _, ...event }, further) => ({
        ...event,
        details: { ...event.details, further },
      }),
    });
  }

  record({ by: { userId, via: credential }, details, resource, ...use }: AddressUse): Promise<void> {
    const event = {
      ...use,
      account: resource.account,
      resource,
      userId,
      details: { ...details, credential },
    };
    return this.add({ ...event, via: 'signature', outcome: 'done' });
  }
}
