import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tables } from '../packages/formats/src/index.ts';
import { DuckdbAlone } from './duckdb-alone.ts';
import { vcfBenchFile } from './inputs.ts';
import { ingest, median, query, upload } from './lake.ts';
import { treeProcessorMs } from './memory.ts';
import { peopleText, sampleName } from './people.ts';
import { PostgresAlone } from './postgres-alone.ts';
import { startService } from './service.ts';

const rowsByDefault = 2_000_000;
const rounds = 5;
const postgresRounds = 3;
/** Between questions, as people think: the process that takes the place of the last one's has started by then. */
const pauseMs = 500;
/** Polling interval in milliseconds. The service records the end; polling uses processor time of the query. */
const lookMs = 250;
/** Rows of the VCF per sample, roughly. */
const records = 520_000;
const rowsOfSample = 200_000;
const patients = 100_000;
const exported = 1_000_000;
/** Overhead that the service may add to the engine, for short and long queries. */
const addedMaxMs = 60;
const addedMaxPart = 0.1;
/** Factor by which PostgreSQL must be slower for groups. */
const groupsMin = 20;
const groups = 'groups';

const columns = tables
  .get('variant')
  ?.columns.map(({ name }) => name)
  .join(', ');

const statements: [name: string, sql: string][] = [
  ['gene', "SELECT sample_id, chromosome, position, amino_acid_change FROM variant WHERE gene = 'BRAF'"],
  [
    'region',
    `SELECT ${columns} FROM variant WHERE chromosome = 'chr7' AND position BETWEEN 140000000 AND 141000000`,
  ],
  [
    'variants, samples, conditions',
    `SELECT c.code, v.gene, count(DISTINCT s.patient_id) AS patients, count(*) AS variants FROM variant v JOIN sequence s ON s.id = v.sample_id
      JOIN condition c ON c.patient_id = s.patient_id WHERE v.impact = 'HIGH' GROUP BY c.code, v.gene`,
  ],
  [groups, 'SELECT gene, impact, count(DISTINCT sample_id) AS samples FROM variant GROUP BY gene, impact'],
  ['export', `SELECT ${columns} FROM variant LIMIT ${exported}`],
  ['nothing', 'SELECT 1 AS one'],
];

/**
 * POST to `succeeded` over variants and patients (`query=20000000`: approximate rows). Beside it, DuckDB alone on the same
 * Parquet files and PostgreSQL with indexes on the same rows; each writes its result as CSV. All must have equally many rows.
 */
export async function bench(argument = String(rowsByDefault)): Promise<void> {
  const samples = Math.max(1, Math.round(Number(argument) / rowsOfSample));
  const file = await vcfBenchFile({ records, samples, gzip: true });
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-bench-lake-'));
  // PostgreSQL reads and writes here as another user.
  await chmod(folder, 0o777);
  const service = await startService();
  let postgres: PostgresAlone | undefined;
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' })).id;
    const vcf = await upload(service, project, 'bench.vcf.gz', file.path);
    const owners = Array.from({ length: samples }, (_, n) => ({
      sampleId: sampleName(n),
      patientId: `p${n}`,
    }));
    const { variants, ms } = await ingest(service, project, vcf, { samples: owners });
    if (variants !== file.expectedRows) throw new Error(`${variants}, expected ${file.expectedRows}`);
    const people = join(folder, 'people.ndjson');
    writeFileSync(people, peopleText(patients, samples));
    await ingest(service, project, await upload(service, project, 'people.ndjson', people));
    print(`${file.expectedRows} variants of ${samples} samples ingested in ${(ms / 1000).toFixed(1)} s`);
    const duckdb = await DuckdbAlone.open(service.folder);
    postgres = await PostgresAlone.open(folder, duckdb);
    print(postgres ? postgres.size : 'there is no PostgreSQL');
    for (const [name, sql] of statements) {
      const ours = new Runs(
        () => treeProcessorMs(service.process.pid ?? 0),
        () => query(service, project, sql, lookMs),
      );
      const engine = new Runs(ownProcessorMs, () => duckdb.copy(sql, join(folder, 'duckdb.csv')));
      const peer = postgres;
      const theirs =
        peer &&
        new Runs(
          () => treeProcessorMs(peer.pid),
          () => peer.copy(sql, join(folder, 'postgres.csv')),
        );
      // Taking turns, so that whatever else runs meets all.
      for (let round = 0; round < rounds; round += 1) {
        // Each alone: after a query the service starts another process, which takes a core for a sixth of a second.
        for (const one of [ours, engine, ...(theirs && round < postgresRounds ? [theirs] : [])]) {
          await delay(pauseMs);
          await one.run();
        }
      }
      compare(name, ours, engine, theirs);
    }
  } finally {
    await postgres?.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function ownProcessorMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1000);
}

/** Runs of one statement in one place. */
class Runs {
  readonly #processor: () => number;
  readonly #once: () => Promise<{ rows: number; ms: number }>;
  readonly #times: number[] = [];
  readonly #processorTimes: number[] = [];
  rows = 0;

  constructor(processor: () => number, once: () => Promise<{ rows: number; ms: number }>) {
    this.#processor = processor;
    this.#once = once;
  }

  async run(): Promise<void> {
    const before = this.#processor();
    const { rows, ms } = await this.#once();
    this.#processorTimes.push(this.#processor() - before);
    this.#times.push(ms);
    this.rows = rows;
  }

  get processorMs(): number {
    return Math.min(...this.#processorTimes);
  }

  get least(): number {
    return Math.min(...this.#times);
  }

  get shown(): string {
    return `${median(this.#times).toFixed(0)} ms (least ${this.least.toFixed(0)}, processor ${this.processorMs})`;
  }
}

function compare(name: string, ours: Runs, engine: Runs, theirs: Runs | undefined): void {
  for (const other of [engine, ...(theirs ? [theirs] : [])])
    if (other.rows !== ours.rows) throw new Error(`${name}: ${ours.rows} rows, elsewhere ${other.rows}`);
  // The least of each: what other work on the machine adds is in all the others.
  const added = ours.least - engine.least;
  const wanted = Math.max(addedMaxMs, engine.least * addedMaxPart);
  const times = (of: 'least' | 'processorMs'): string => ((theirs?.[of] ?? 0) / ours[of]).toFixed(1);
  const beside = theirs
    ? ` · PostgreSQL ${theirs.shown}: ${times('least')} times ours, by processor ${times('processorMs')}${name === groups ? ` (wanted ≥ ${groupsMin})` : ''}`
    : '';
  print(
    `${name}: ${ours.rows} rows · service ${ours.shown} · DuckDB alone ${engine.shown} · added ${added.toFixed(0)} ms (wanted ≤ ${wanted.toFixed(0)})${beside}`,
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
