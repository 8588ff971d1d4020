import type { AuditFilter } from '@ploidy/client';
import type { Command } from 'commander';
import { CommandError, exitCodes } from '../exit.ts';
import { openSession, sayList } from '../session.ts';

interface AuditOptions extends AuditFilter {
  limit: string;
}

export function addAudit(program: Command): void {
  program
    .command('audit')
    .description('events of the audit log, newest first')
    .option('--from <moment>', 'RFC 3339, such as 2026-05-04T00:00:00Z; inclusive')
    .option('--to <moment>', 'exclusive')
    .option('--user <user>', 'id or e-mail address')
    .option('--action <action>', 'such as files.read; "files." is all that begin so')
    .option('--resource <resource>', 'id, or type:id')
    .option('--outcome <outcome>', 'done or refused')
    .option('--limit <n>', 'at most so many events', '100')
    .action(async (options: AuditOptions, command: Command) => {
      const { limit, from, to, user, action, resource, outcome } = options;
      if (!/^[1-9]\d{0,8}$/.test(limit))
        throw new CommandError('--limit takes a number from 1.', exitCodes.usage);
      const session = await openSession(command);
      const events = session.client.auditEvents(
        given({ from, to, user, action, resource, outcome }),
        Number(limit),
      );
      const items = await Array.fromAsync(events);
      sayList(session, items, ['at', 'user', 'action', 'outcome', 'resource', 'via'], (event) => [
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
