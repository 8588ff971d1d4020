import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Caller } from '../../../access/caller.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import { attributesOfTables, hasRowAccess, type RowAccess, rowAccessOf } from '../../lake/index.ts';

/** Project as a schema of the catalogue. */
export interface Schema {
  /** Name in lower case, of letters, digits and `_`. */
  name: string;
  project: ProjectRecord;
  access: RowAccess;
}

export interface SchemaDeps {
  records: Records;
  countsMin: number;
}

/** Names that are not the name of a project: the engine and the protocol use them. */
const reserved = new Set([
  '',
  'information_schema',
  'main',
  'jdbc',
  'metadata',
  'runtime',
  'system',
  'ploidy',
]);

/** Characters of an id that make a repeated name unique. */
const suffixLength = 6;

/** Lists the projects with rows that the caller may read, by name. */
export async function schemasOf({ records, countsMin }: SchemaDeps, caller: Caller): Promise<Schema[]> {
  const accounts = [...caller.accounts.keys()].filter(
    (id) => caller.onlyAccount === undefined || id === caller.onlyAccount,
  );
  if (accounts.length === 0) return [];
  const rows = await records.read
    .selectFrom('projects')
    .select(['id', 'name', 'description', 'account_id', 'created_at'])
    .where('account_id', 'in', accounts)
    .execute();
  const taken = new Set<string>();
  const schemas: Schema[] = [];
  const sorted = rows.sort((one, other) => one.created_at - other.created_at || (one.id < other.id ? -1 : 1));
  for (const { id, name, description, account_id } of sorted) {
    const plain = plainName(name);
    const unique = reserved.has(plain) || taken.has(plain) ? `${plain}_${id.slice(-suffixLength)}` : plain;
    taken.add(unique);
    // Thousands of rules take a tenth of a second for each project.
    await nextTurn();
    const access = rowAccessOf(caller, attributesOfTables({ account_id, project_id: id }), countsMin);
    const project = { id, name, description, account: account_id };
    if (hasRowAccess(access)) schemas.push({ name: unique, project, access });
  }
  return schemas.sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** Finds the schema of a written name: the plain name, the id of the project, or its own name. */
export function findSchema(schemas: readonly Schema[], written: string): Schema | undefined {
  const name = written.toLowerCase();
  return (
    schemas.find((schema) => schema.name === name) ??
    schemas.find(({ project }) => project.id === name) ??
    schemas.find(({ project }) => project.name.toLowerCase() === name)
  );
}

/** `Sample project` → `sample_project`. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '');
  return /^\d/.test(plain) ? `_${plain}` : plain;
}
