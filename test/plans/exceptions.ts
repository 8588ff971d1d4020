import type { Fault } from './plans.ts';

/** A statement that may take a step which others may not, and why that does no harm. */
interface Exception {
  why: string;
  statement: RegExp;
  step: RegExp;
}

const scan = /^SCAN /;
const sort = /^USE TEMP B-TREE FOR ORDER BY$/;

const exceptions: Exception[] = [
  {
    why: 'whether there is a row at all: the first one answers',
    statement: /^select "\w+"( as key)? from "\w+"( where "\w+" is not null)? limit \?$/,
    step: scan,
  },
  { why: 'a row for each rotation of keys that is still good', statement: /from "token_keys"/, step: scan },
  {
    why: 'once, when a service starts',
    statement: /^delete from "idempotency_keys" where "state"/,
    step: scan,
  },
  {
    why: 'what has lost what it belongs to is found by looking at each; what waits for an answer or for its last part is not much',
    statement: /^delete from "(upload_parts|invitations|invitation_mails)" where not exists/,
    step: scan,
  },
  {
    why: 'a row a project, each asked by an index whether anything of it is there',
    statement: /^select "project_id" from "lakes" where \(exists/,
    step: scan,
  },
  {
    why: 'a row for each lake whose files are older than the tables derived from them, until these are made',
    statement: /from "lake_derivations" as "d"/,
    step: scan,
  },
  {
    why: 'pruned, so that some are left for each system, and read in the order of an index',
    statement: /^select "ehr_id" from "ehr_syncs" group by/,
    step: scan,
  },
  { why: 'the systems that are configured', statement: /^update "ehrs" set "schedule_cron"/, step: scan },
  {
    why: 'the webhooks that there are, at most twenty for each account',
    statement: /from "webhooks" inner join "audit_heads"/,
    step: scan,
  },
  { why: 'the note of the last backup is one row', statement: /from "last_backup"$/, step: scan },
  { why: 'some for each account', statement: /^delete from "saml_providers"/, step: scan },
  {
    why: 'projects of an account; its lists are by name, this one by id',
    statement: /from "projects" where "account_id" = \? and .* order by "id" limit/,
    step: sort,
  },
  {
    why: 'by size only those are sorted whose names begin so',
    statement: /from "files" where .*"name_key" >= \? AND "name_key" < \?.* order by "size"/,
    step: sort,
  },
];

/** Returns the faults for which there is no reason, and the exceptions that no fault needs. */
export function judged(faults: readonly Fault[]): { unexcused: Fault[]; needless: string[] } {
  const excuses = ({ statement, step }: Exception, fault: Fault): boolean =>
    statement.test(fault.statement) && step.test(fault.step);
  return {
    unexcused: faults.filter((fault) => !exceptions.some((one) => excuses(one, fault))),
    needless: exceptions.flatMap((one) => (faults.some((fault) => excuses(one, fault)) ? [] : [one.why])),
  };
}
