import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckdbSql } from '../../../../../engine/src/duckdb.ts';
import { universeTables, withRelations } from '../analytics/analytics.ts';
import type { Analytics, Compiler } from '../analytics/index.ts';
import { type LakeRows, relationsOf } from '../analytics/random-lake.fixture.ts';
import { Cells } from './cells.ts';
import { MadeFiles } from './made-files.ts';
import { type Asking, Study } from './study.ts';

/** A study over rows in memory, asked without a service. */
export interface StudyLake {
  study: Study;
  /** Data and rights of a caller; `countsMin`: fewest patients of a count that is shown. */
  asking(countsMin?: number): Asking;
  /** Answers a statement about the tables of the rows. */
  rows(select: string): Promise<Record<string, unknown>[]>;
  close(): void;
}

/** Opens a study over rows. */
export async function openStudyLake(rows: LakeRows): Promise<StudyLake> {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-study-'));
  const sql = await DuckdbSql.open({
    ...{ memoryMaxBytes: 256 * 2 ** 20, threads: 1, temporaryFolder: folder, temporaryMaxBytes: 2 ** 20 },
  });
  const relations = relationsOf(rows);
  for (const { name, sql: select } of relations) await sql.run(`CREATE TABLE "${name}" AS ${select}`);
  const stored = relations.map(({ name }) => ({
    name,
    files: [],
    sql: `SELECT * FROM memory.main."${name}"`,
  }));
  const rowsOf = (body: string, compiler: Compiler) => {
    const names = [...new Set([...compiler.tables, ...universeTables])];
    return withRelations(body, names, [stored]);
  };
  const analytics: Pick<Analytics, 'ask' | 'write'> = {
    ask: (body: string, compiler: Compiler) =>
      sql.jsonRows(rowsOf(body, compiler), compiler.parameters.values),
    write: async (body, compiler, _, { outputPath }) => {
      const copy = `COPY (${rowsOf(body, compiler)}) TO '${outputPath}' (FORMAT parquet)`;
      const [copied] = await sql.jsonRows(copy, compiler.parameters.values);
      return { rowCount: Number(copied?.['Count']), size: statSync(outputPath).size, sha256: '' };
    },
  };
  const files = new MadeFiles({
    scratchPath: async (extension) => join(folder, `${randomUUID()}.${extension}`),
    discardScratch: async (path) => rmSync(path, { force: true }),
  });
  const access = { real: true, masked: false, countsMin: 0 };
  const project = { id: 'p', version: 1, dataVersion: 1, annotations: '', ownTables: new Map() };
  return {
    study: new Study(analytics, files),
    asking: (countsMin = 0) => ({
      project: { ...project, access: { ...access, countsMin } },
      cells: new Cells(countsMin, Buffer.from('key')),
      ...{ cohortParts: [], caller: 'reader', signal: new AbortController().signal },
    }),
    rows: (select) => sql.jsonRows(select, []),
    close: () => {
      sql.close();
      rmSync(folder, { recursive: true });
    },
  };
}
