import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../access/caller.ts';
import { oneOfRules } from '../../../access/filter.ts';
import type { Reader } from '../../../platform/records/records.ts';
import type { Database } from '../../../platform/records/schema.ts';

/** Condition on `projects`: the caller may know of the project (access/projects-in-view.ts). */
export function inView(
  where: ExpressionBuilder<Database, 'projects'>,
  caller: Caller,
  account: string,
): Expression<SqlBool> {
  const { rules, ownRules } = caller.projectsOf(account);
  const hold = (some: typeof rules): Expression<SqlBool> =>
    some === true
      ? sql<SqlBool>`1 = 1`
      : oneOfRules(some, {
          columns: { 'resource.dataset': where.ref('projects.id') },
          constants: { 'resource.account': account },
        });
  const owns = (['files', 'queries', 'cohorts'] as const).map((table) =>
    where.exists(
      sql`(select 1 from ${sql.table(table)} as owned where owned.project_id = projects.id
        and owned.${sql.ref(ownerColumns[table])} = ${caller.userId})`,
    ),
  );
  return where.or([hold(rules), where.and([hold(ownRules), where.or(owns)])]);
}

/** Tables of what has an owner in a project; results and ingestions are of such a file or query. */
const ownerColumns = { files: 'owner_id', queries: 'user_id', cohorts: 'creator_id' } as const;

/** Reports whether the caller may know of a project. */
export async function isInView(
  read: Reader,
  caller: Caller,
  { account, id }: { account: string; id: string },
): Promise<boolean> {
  const view = caller.projectsOf(account);
  if (view.has(id)) return true;
  if (!view.hasIfOwner(id)) return false;
  const found = await read
    .selectFrom('projects')
    .select('id')
    .where('id', '=', id)
    .where('account_id', '=', account)
    .where((where) => inView(where, caller, account))
    .executeTakeFirst();
  return found !== undefined;
}
