import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '@ploidy/formats';
import type { ConversionOptions, ConvertedTable, Warning } from '../../../engine/src/conversion.ts';
import { DuckdbSql } from '../../../engine/src/duckdb.ts';
import { convertFhir } from './convert.ts';

/** Row as JSON: dates and timestamps as text. */
export type Row = Record<string, unknown>;

export interface ConversionRun {
  tables: ConvertedTable[];
  warnings: Warning[];
  /** Reports of progress: bytes, rows. */
  progress: [number, number][];
  /** Names of the files in the output folder afterwards. */
  files: string[];
}

export interface Converted extends ConversionRun {
  /** Reads all rows of a table in the order of its file; empty without that table. */
  rows(table: string): Row[];
}

/** Engine and folders of a test, removed by `close`. */
export class ConversionFixture {
  readonly folder: string;
  readonly sql: DuckdbSql;
  #runs = 0;

  private constructor(folder: string, sql: DuckdbSql) {
    this.folder = folder;
    this.sql = sql;
  }

  static async open(): Promise<ConversionFixture> {
    const folder = mkdtempSync(join(tmpdir(), 'ploidy-fhir-'));
    const temporaryFolder = join(folder, 'engine');
    const memoryMaxBytes = 256 * 1024 * 1024;
    const settings = { memoryMaxBytes, threads: 2, temporaryFolder, temporaryMaxBytes: 2 ** 32 };
    return new ConversionFixture(folder, await DuckdbSql.open(settings));
  }

  /** Converts bytes or text. */
  async convert(content: string | Uint8Array, options: ConversionOptions = {}): Promise<Converted> {
    const path = join(this.folder, `source-${this.#runs}`);
    writeFileSync(path, content);
    return this.convertFile(path, options);
  }

  /** Converts resources as NDJSON. */
  async convertResources(...resources: object[]): Promise<Converted> {
    return this.convert(resources.map((resource) => `${JSON.stringify(resource)}\n`).join(''));
  }

  async convertFile(sourcePath: string, options: ConversionOptions = {}): Promise<Converted> {
    const run = await this.run(sourcePath, options);
    const read = new Map<string, Row[]>();
    for (const { table, path } of run.tables) {
      const rows = await this.sql.rows(`SELECT to_json(t)::VARCHAR AS row FROM read_parquet('${path}') AS t`);
      read.set(
        table,
        rows.map(({ row }) => JSON.parse(String(row)) as Row),
      );
    }
    return { ...run, rows: (table) => read.get(table) ?? [] };
  }

  /** Converts without reading the rows back. */
  async run(sourcePath: string, options: ConversionOptions = {}): Promise<ConversionRun> {
    this.#runs += 1;
    const outputFolder = mkdtempSync(join(this.folder, 'output-'));
    const warnings: Warning[] = [];
    const progress: [number, number][] = [];
    const sourceSize = statSync(sourcePath).size;
    const task = {
      type: 'fhir',
      sourcePath,
      sourceSize,
      sourceName: 'source',
      outputFolder,
      setId: 's',
      options,
    } as const;
    let account: Account | undefined;
    const tables = await convertFhir(task, this.sql, {
      progress: (bytes, rows) => progress.push([bytes, rows]),
      warn: (warning) => warnings.push(warning),
      account: (given) => {
        account = given;
      },
    });
    assert.ok(account, 'the converter accounts for its records');
    const files = readdirSync(outputFolder);
    return { tables, warnings, progress, files };
  }

  close(): void {
    this.sql.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
