/** Rows that no version of the service writes, made from the schema: each column holds each thing that it never should. */
import { jobClasses } from '../../packages/server/src/platform/jobs/index.ts';
import type { Records } from '../../packages/server/src/platform/records/index.ts';
import type { RawRecords } from '../support/raw-records.ts';

interface Column {
  name: string;
  isText: boolean;
  isInt: boolean;
  nullable: boolean;
}

/** Columns whose words decide what is done with a row. */
const deciding = /^(state|status|kind|use|purpose)$/;
/** Columns that name something: a row of its own for each, which belongs to nothing that is there. */
const naming = /(^|_)(id|ids|key|hash|name|email|token|blob|lease|topic|tag)$/;

const texts = ["''", "'{'", "'null'", `'${'x'.repeat(20_000)}'`, "'../../../etc/passwd'", "'\u0001'"];
const numbers = ['8640001795853720576', '-8640001795853720576', '9007199254740991', '253402300800000', '-1'];
const smallNumbers = ['2147483647', '-2147483648'];

/** Payloads of jobs: unreadable, and without the names that a handler reads. */
const payloads = ['{', '{}'];

/** Plants jobs of a kind with each payload, as they wait and as they were left by a process. */
export async function poisonJobs(raw: RawRecords, kind: string): Promise<void> {
  for (const [at, payload] of payloads.entries())
    for (const state of ['queued', 'running']) {
      const id = `poisoned-${kind}-${state}-${at}`;
      const lease = state === 'running' ? `'${id}', 1` : 'null, null';
      await raw.run(`insert into jobs
        (id, kind, state, payload, attempts, attempts_max, class, account_id, project_id, user_id, exclusive_key,
          is_long, set_aside, not_before, waiting_since, created_at, lease, lease_until)
        values ('${id}', '${kind}', '${state}', '${payload}', ${state === 'running' ? 1 : 0}, 1,
          '${jobClasses[at]}', '', '', '', '', 0, 0, 0, 5, 5, ${lease})`);
    }
}

/** Plants the rows of a table; answers how many the database took. */
export async function poisonTable(
  records: Records,
  raw: RawRecords,
  table: string,
  words: ReadonlySet<string>,
): Promise<number> {
  const found = (await records.read.introspection.getTables()).find(({ name }) => name === table);
  const columns = (found?.columns ?? [])
    .filter(({ isAutoIncrementing }) => !isAutoIncrementing)
    .map(
      ({ name, dataType, isNullable }): Column => ({
        name,
        isText: /text/i.test(dataType),
        isInt: /int4|^integer$/i.test(dataType),
        nullable: isNullable,
      }),
    );
  let planted = 0;
  for (const states of wordsOf(columns, words))
    for (const column of columns)
      for (const poison of poisonsOf(column)) {
        const row = new Map(columns.map((one) => [one.name, plain(one, `${table}-${planted}-${states}`)]));
        for (const [name, word] of states) row.set(name, `'${word}'`);
        row.set(column.name, poison);
        if (await plant(raw, table, row)) planted += 1;
      }
  return planted;
}

/** Returns one row for each word of a deciding column, and one with another word in all. */
function wordsOf(columns: readonly Column[], words: ReadonlySet<string>): [string, string][][] {
  const decided = columns.filter(({ name, isText }) => isText && deciding.test(name));
  const each = decided.flatMap(({ name }) =>
    [...words].filter((word) => /^[a-zA-Z.]+$/.test(word)).map((word): [string, string][] => [[name, word]]),
  );
  return [...each.slice(0, 12), decided.map(({ name }): [string, string] => [name, 'unheard-of'])];
}

function poisonsOf({ isText, isInt, nullable }: Column): string[] {
  return [...(isText ? texts : isInt ? smallNumbers : numbers), ...(nullable ? ['null'] : [])];
}

/** Values of poisoned rows: long ago, so that it is due; a missing thing; an empty document. */
function plain({ name, isText, nullable }: Column, row: string): string {
  if (isText) return naming.test(name) ? `'${row.slice(0, 80)}'` : "'{}'";
  return nullable && /^(lease|ended|revoked)/.test(name) ? 'null' : '1';
}

async function plant(raw: RawRecords, table: string, row: Map<string, string>): Promise<boolean> {
  const statement = `insert into "${table}" (${[...row.keys()].map((name) => `"${name}"`)}) values (${[...row.values()]})`;
  const tried = await raw.run(statement).then(
    () => undefined,
    (error: Error) => error.message,
  );
  if (tried === undefined) return true;
  if (!/has no intent/.test(tried)) return false;
  // A row may name a blob only after its intent: with it the row names one whose bytes are missing.
  for (const [name, value] of row)
    if (/blob/.test(name) && value !== 'null')
      await raw.run(
        `insert into blob_intents (key, kind, expires_at) values (${value}, 'write', 9000000000000) on conflict do nothing`,
      );
  return raw.run(statement).then(
    () => true,
    () => false,
  );
}
