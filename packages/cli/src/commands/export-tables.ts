import { join } from 'node:path';
import type { Query, TableSchema } from '@ploidy/client';
import { CommandError } from '../exit.ts';
import { interruptible } from '../interrupt.ts';
import { Progress } from '../progress.ts';
import type { Session } from '../session.ts';
import type { Target } from './export-target.ts';

interface Tables {
  project: string;
  cohort: string | undefined;
  format: 'parquet' | 'ndjson';
}

/** Saves every table that is not in the folder yet; each is a query, whose result is deleted again. */
export async function saveTables(session: Session, target: Target, asked: Tables): Promise<void> {
  const { project, cohort, format } = asked;
  const { folder, manifest, writeManifest } = target;
  for (const { name, sql } of statementsOf(await session.client.schemas(project), cohort)) {
    const url = `${name}.${format}`;
    if (manifest.output.some((file) => file.url === url)) continue;
    const query = await run(session, { project, sql, url, format });
    const id = query.resultFileId ?? query.id;
    await session.client.download(id, join(folder, url));
    manifest.output.push({ url, count: query.rowCount ?? 0 });
    writeManifest();
    await session.client.api.DELETE('/v1/files/{id}', { params: { path: { id } } });
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Builds the statement of each table; for a cohort those of patients and samples. */
function statementsOf(tables: TableSchema[], cohort: string | undefined): { name: string; sql: string }[] {
  return tables.flatMap(({ table: name, columns }) => {
    const sql = `SELECT * FROM ${name}`;
    if (cohort === undefined) return [{ name, sql }];
    const members = `SELECT patient_id FROM cohort WHERE cohort_id = ${quoted(cohort)}`;
    const has = (key: string): boolean => columns.some((column) => column.name === key);
    if (has('patient_id')) return [{ name, sql: `${sql} WHERE patient_id IN (${members})` }];
    if (!has('sample_id')) return [];
    const samples = `SELECT id FROM sequence WHERE patient_id IN (${members})`;
    return [{ name, sql: `${sql} WHERE sample_id IN (${samples})` }];
  });
}

async function run(
  { client, json }: Session,
  { project, sql, url, format }: Omit<Tables, 'cohort'> & { sql: string; url: string },
): Promise<Query> {
  const id = await client.query(project, sql, `exports/${url}`, format);
  const progress = new Progress(url, json);
  const query = await interruptible(
    (signal) =>
      client.waitForQuery(id, {
        signal,
        onState: ({ progress: share = 0 }) => progress.update(share, 1),
      }),
    async () => {
      await client.cancelQuery(id).catch(() => undefined);
      return 'Interrupted; the same command resumes.';
    },
  );
  progress.clear();
  if (query.state !== 'succeeded')
    throw new CommandError(`${url}: ${query.error?.message ?? `the query was ${query.state}`}`);
  return query;
}
