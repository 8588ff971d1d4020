import { type Expression, type SqlBool, sql } from 'kysely';
import type { Caller } from '../../../../access/caller.ts';
import { listFilter } from '../../../../access/filter.ts';

const typeOf = { readgroup_sets: 'readGroupSet', reference_sets: 'referenceSet' } as const;

/** Selects the sets of an account that the caller may read. */
export function readableSets(
  caller: Caller,
  account: string,
  table: keyof typeof typeOf,
): Expression<SqlBool> {
  return listFilter(caller, account, ['readData'], {
    columns: {
      'resource.dataset': sql.ref<string>(`${table}.project_id`),
      'resource.id': sql.ref<string>(`${table}.id`),
      'resource.ownerId': sql.ref<string>(`${table}.owner_id`),
    },
    constants: { 'resource.account': account, 'resource.type': typeOf[table] },
  });
}
