import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import type { Account } from '@ploidy/formats';
import type { Convert, ConvertedTable, ConvertGenomics, Reporter, Sql, Warning } from '../conversion.ts';
import { DuckdbSql } from '../duckdb.ts';
import type { ConversionOutcome } from '../engine.ts';
import type { ConversionOrder, WorkerStart } from '../messages.ts';
import type { ConverterAddress } from '../settings.ts';
import { boundsIn, boundsOf } from '../task-runtime/bounds.ts';
import { digestFile, syncFile } from '../task-runtime/digest.ts';
import { foundIn, foundInReads } from '../task-runtime/found.ts';
import { serve, type TaskHandler } from '../task-runtime/serve.ts';

const warningsMax = 100;

/** Opens a process that turns source files into Parquet files, each on an engine instance of its own. */
async function open(start: WorkerStart): Promise<TaskHandler> {
  const openEngine = async (): Promise<DuckdbSql> => {
    const sql = await DuckdbSql.open({ ...start, temporaryFolder: join(start.folder, 'spill') });
    await sql.run("SET TimeZone = 'UTC'");
    return sql;
  };
  // The next task that needs one finds it open.
  let next = openEngine();
  await next;
  return async (order, report) => {
    const sql = new SqlOnDemand(start.threads, () => next.catch(openEngine));
    try {
      return await run(sql, order as ConversionOrder, start.folder, report);
    } finally {
      if (await sql.close()) {
        next = openEngine();
        next.catch(() => undefined);
      }
    }
  };
}

/** Engine instance of a task, confined to its files when a statement first needs it. Many small files need none. */
class SqlOnDemand implements Sql {
  readonly threads: number;
  readonly #open: () => Promise<DuckdbSql>;
  #confined: [paths: readonly string[], folders: readonly string[]] = [[], []];
  #opening: Promise<DuckdbSql> | undefined;
  #opened: DuckdbSql | undefined;

  constructor(threads: number, open: () => Promise<DuckdbSql>) {
    this.threads = threads;
    this.#open = open;
  }

  /** Names the files that statements may reach. */
  confine(paths: readonly string[], folders: readonly string[]): void {
    this.#confined = [paths, folders];
  }

  async run(sql: string): Promise<number> {
    return (await this.#instance()).run(sql);
  }

  async count(relation: string): Promise<number> {
    return (await this.#instance()).count(relation);
  }

  async rows(sql: string): Promise<Record<string, unknown>[]> {
    return (await this.#instance()).rows(sql);
  }

  progress(): number | undefined {
    return this.#opened?.progress();
  }

  /** Closes the instance; false if no statement has opened it. */
  async close(): Promise<boolean> {
    const opened = await this.#opening?.catch(() => undefined);
    opened?.close();
    return this.#opening !== undefined;
  }

  #instance(): Promise<DuckdbSql> {
    this.#opening ??= this.#open().then(async (sql) => {
      await sql.confine(...this.#confined);
      this.#opened = sql;
      return sql;
    });
    return this.#opening;
  }
}

async function run(
  sql: SqlOnDemand,
  { task, converter }: ConversionOrder,
  folder: string,
  send: (progress: unknown) => void,
): Promise<ConversionOutcome> {
  const convert = await load(converter);
  const models = (task.genomes ?? []).map(({ modelsPath }) => modelsPath);
  // A converter that put a text of the source into its SQL could still not reach another file.
  const earlier = (task.earlier ?? []).map(({ path }) => path);
  const beside = [...(task.besidePaths ?? []), ...earlier, ...models];
  sql.confine([task.sourcePath, ...beside], [task.outputFolder, folder]);
  const warnings: Warning[] = [];
  let warningCount = 0;
  let account: Account | undefined;
  const reporter: Reporter = {
    progress: (bytes, rows) => send({ bytes, rows }),
    warn: (warning, omitted = 0) => {
      warningCount += 1 + omitted;
      if (warnings.length < warningsMax) warnings.push(warning);
    },
    account: (given) => {
      account = given;
    },
  };
  if (converter.makes === 'genomics') {
    const made = await (convert as ConvertGenomics)(task, reporter);
    const found = { ...foundInReads(made), ...account };
    const genomics = { ...made, ...(await digestFile(made.path)) };
    return { tables: [], genomics, found, warnings, warningCount };
  }
  const tables = await (convert as Convert)(task, sql, reporter);
  const found = { ...(await foundIn(sql, tables)), ...account };
  return { tables: await digestTables(sql, tables), found, warnings, warningCount };
}

/** Only the converter that is needed is loaded. */
async function load({ module, name }: ConverterAddress): Promise<Convert | ConvertGenomics> {
  const exported: Record<string, unknown> = await import(module);
  const convert = exported[name];
  if (typeof convert !== 'function') throw new Error(`the converter ${name} is missing`);
  // The process is going to be killed, not to exit; the next one shall find the compiled code.
  flushCompileCache();
  return convert as Convert | ConvertGenomics;
}

async function digestTables(sql: Sql, tables: ConvertedTable[]): Promise<ConversionOutcome['tables']> {
  return Promise.all(
    tables.map(async ({ digest: known, values, ...table }) => {
      if (known) await syncFile(table.path);
      const read = () => boundsIn(sql, table.table, table.path);
      const bounds = table.rows === 0 ? undefined : values ? boundsOf(table.table, values) : await read();
      return { ...table, ...(known ?? (await digestFile(table.path))), ...(bounds && { bounds }) };
    }),
  );
}

await serve(open);
