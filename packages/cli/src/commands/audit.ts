import type { AuditFilter } from '@ploidy/client';
import type { Command } from 'commander';
import { positiveNumber } from '../input.ts';
import { openSession, printList } from '../session.ts';

interface AuditOptions extends AuditFilter {
  limit: number;
}

export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('list events of the audit log, newest first')
    .option('--from <moment>', 'first moment (RFC 3339), such as 2026-05-04T00:00:00Z')
    .option('--to <moment>', 'moment before which events end (RFC 3339)')
    .option('--user <user>', 'id or e-mail address')
    .option('--action <action>', 'such as files.read; "files." for all that begin with it')
    .option('--resource <resource>', 'id, or type:id')
    .option('--outcome <outcome>', 'done or refused')
    .option('--limit <n>', 'maximum number of events', positiveNumber, 100)
    .action(async (options: AuditOptions, command: Command) => {
      const { limit, from, to, user, action, resource, outcome } = options;
      const session = await openSession(command);
      const events = session.client.auditEvents(given({ from, to, user, action, resource, outcome }), limit);
      const items = await Array.fromAsync(events);
      printList(session, items, ['at', 'user', 'action', 'outcome', 'resource', 'via'], (event) => [
        event.at,
        event.user?.email ?? event.user?.id ?? '',
        event.action,
        event.outcome,
        [event.resource.type, event.resource.id].filter(Boolean).join(':'),
        event.via,
      ]);
    });
}

function given(filter: { [K in keyof AuditFilter]: AuditFilter[K] | undefined }): AuditFilter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}
