import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import { type GenomeBuild, InputError, type MetaKind, storedTable } from '@ploidy/formats';
import { TableFile } from '../tables/table-file.ts';
import { readTabular } from '../tabular/convert.ts';
import { type Meaning, readMatrix } from './matrix.ts';
import type { Examinations } from './panels.ts';
import type { StudyAccounts } from './study-account.ts';
import type { StudyFile, StudyMeta } from './unpack.ts';

/** Readers of single files that a study shares. The name shows their kind, since that in the archive may be any. */
const tabularKinds = {
  mutations: { type: 'maf', name: 'data_mutations.txt', profile: 'mutation' },
  fusions: { type: 'fusion', name: 'data_sv.txt', profile: 'fusion' },
  segments: { type: 'copynumber', name: 'data.seg', profile: undefined },
} as const;

const matrixKinds = {
  levels: { table: 'copynumber', meaning: 'level', profile: 'copy_number' },
  ratios: { table: 'copynumber', meaning: 'log2', profile: undefined },
  linear: { table: 'copynumber', meaning: 'linear', profile: undefined },
  expression: { table: 'gene', meaning: 'expression', profile: 'expression' },
  scores: { table: 'gene', meaning: 'z-score', profile: 'expression' },
} as const satisfies Partial<
  Record<MetaKind, { table: string; meaning: Meaning; profile: string | undefined }>
>;

const setColumn = { copynumber: 'copy_number_set_id', gene: 'rna_quantification_set_id' } as const;

/** Part of a table: the rows of one file. */
interface Part {
  kind: MetaKind;
  table: string;
  path: string;
}

/** Tables of the omic files of a study. */
export class OmicTables {
  readonly builds = new Set<GenomeBuild>();
  /** Samples of the data files. */
  readonly samples = new Set<string>();
  readonly #task: ConversionTask;
  readonly #sql: Sql;
  readonly #parts: Part[] = [];

  constructor(task: ConversionTask, sql: Sql) {
    this.#task = task;
    this.#sql = sql;
  }

  /** Reads a file, if it is one of genes; false for other kinds. A broken file is left out, with its reason. */
  async read(
    meta: StudyMeta,
    file: StudyFile,
    {
      examinations,
      accounts,
      onRows,
    }: { examinations: Examinations; accounts: StudyAccounts; onRows: (rows: number) => void },
  ): Promise<boolean> {
    const { kind } = meta;
    const account = accounts.of(file.name);
    const folder = join(this.#task.outputFolder, `part${this.#parts.length}`);
    if (kind === undefined || !(kind in tabularKinds || kind in matrixKinds)) return false;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      const isTabular = kind in tabularKinds;
      const samples = isTabular
        ? await this.#tabular(kind as keyof typeof tabularKinds, file, folder, account.reporter(onRows))
        : await this.#matrix(kind as keyof typeof matrixKinds, file, folder, { meta, account });
      if (samples === undefined) return true;
      for (const sample of samples) this.samples.add(sample);
      const { profile } = { ...tabularKinds, ...matrixKinds }[kind as keyof typeof tabularKinds];
      if (profile !== undefined) examinations.addData(profile, samples, meta);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      account.leaveFile(error.message.replace(/\.$/, ''));
    }
    return true;
  }

  async #tabular(
    kind: keyof typeof tabularKinds,
    { path, size }: StudyFile,
    outputFolder: string,
    report: Parameters<typeof readTabular>[2],
  ): Promise<readonly string[]> {
    const { type, name } = tabularKinds[kind];
    const { passOnly, variantCalls } = this.#task.options;
    const task: ConversionTask = {
      ...this.#task,
      ...{ type, sourcePath: path, sourceSize: size, sourceName: name, outputFolder },
      options: {
        onError: 'skip',
        ...(passOnly !== undefined && { passOnly }),
        ...(variantCalls !== undefined && { variantCalls }),
      },
    };
    const { tables, names, build } = await readTabular(task, this.#sql, report);
    if (build !== undefined) this.builds.add(build);
    for (const { table, path } of tables) this.#parts.push({ kind, table, path });
    return names;
  }

  async #matrix(
    kind: keyof typeof matrixKinds,
    file: StudyFile,
    folder: string,
    { meta, account }: { meta: StudyMeta; account: ReturnType<StudyAccounts['of']> },
  ): Promise<ReadonlySet<string> | undefined> {
    const { table, meaning } = matrixKinds[kind];
    // A gene of a sample has one level, one ratio and one expression of a unit: statistics would join or average two.
    if (this.#parts.some((part) => part.kind === kind)) {
      account.leaveFile('a larger file has values of this kind for the same genes');
      return undefined;
    }
    const profile = table === 'gene' ? meta.values.get('stable_id') : undefined;
    if (meaning === 'linear')
      account.warn(
        'the format does not state the unit of its values: they are in attributes, not in copy_number',
      );
    const made = new TableFile(join(folder, `${table}.parquet`), storedTable(table));
    try {
      const shared = { [setColumn[table]]: this.#task.setId };
      const samples = await readMatrix(file, { meaning, table: made, shared, further: { profile } }, account);
      if (samples === undefined) return undefined;
      await made.end(this.#sql);
      this.#parts.push({ kind, table, path: made.path });
      return samples;
    } finally {
      made.close();
    }
  }

  /** Path of the segments; undefined without any. */
  get segments(): string | undefined {
    return this.#parts.find(({ kind }) => kind === 'segments')?.path;
  }

  /** Joins the parts of each table. */
  async end(): Promise<ConvertedTable[]> {
    const tables: ConvertedTable[] = [];
    for (const [table, parts] of Map.groupBy(this.#parts, (part) => part.table)) {
      const path = join(this.#task.outputFolder, `${table}.parquet`);
      const selects = table === 'copynumber' ? copyNumbers(parts) : parts.map(fromPart);
      const [only] = parts;
      if (parts.length === 1 && only) await rename(only.path, path);
      else await this.#sql.run(joined(table, selects, path));
      tables.push({ table, path, rows: await this.#sql.count(`read_parquet(${literal(path)})`) });
    }
    return tables;
  }
}

function joined(table: string, selects: readonly string[], path: string): string {
  const { orderBy } = table.startsWith('_') ? { orderBy: ['1'] } : storedTable(table);
  return `COPY (${selects.join(' UNION ALL BY NAME ')} ORDER BY ${orderBy.join(', ')}) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`;
}

const fromPart = ({ path }: Part): string => `FROM read_parquet(${literal(path)})`;

/** Builds one row for each sample and gene, with the status of its level and the copies of its ratio; and one for each segment. */
function copyNumbers(parts: readonly Part[]): string[] {
  const columns = storedTable('copynumber').columns.map(({ name }) =>
    name === 'attributes'
      ? `CASE WHEN l.attributes IS NULL OR r.attributes IS NULL THEN coalesce(l.attributes, r.attributes) ELSE json_merge_patch(l.attributes, r.attributes)::VARCHAR END AS attributes`
      : `coalesce(l.${name}, r.${name}) AS ${name}`,
  );
  const both = (left: string, right: string): string =>
    `SELECT ${columns.join(', ')} FROM (${left}) AS l FULL JOIN (${right}) AS r ON l.sample_id = r.sample_id AND l.gene = r.gene`;
  const matrices = (['levels', 'ratios', 'linear'] as const).flatMap((kind) =>
    parts.filter((part) => part.kind === kind).map(fromPart),
  );
  return [
    ...(matrices.length > 0 ? [matrices.reduce(both)] : []),
    ...parts.filter(({ kind }) => kind === 'segments').map(fromPart),
  ];
}
