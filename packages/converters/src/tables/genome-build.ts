import type { ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  chromosomeLengths,
  contradictingBuilds,
  type GenomeBuild,
  InputError,
  nuclearChromosomes,
  storedTable,
  storedTables,
} from '@ploidy/formats';

/** Tables whose rows have positions on the genome. */
const positioned: ReadonlySet<string> = new Set(
  [...storedTables.values()]
    .filter(({ columns }) => columns.some(({ name }) => name.startsWith('chromosome')))
    .map(({ name }) => name),
);

/** Returns the build of the file, else that of the request. Throws `InputError` for a contradiction. */
export function buildOf(
  { options }: Pick<ConversionTask, 'options'>,
  found: GenomeBuild | undefined,
): GenomeBuild | undefined {
  const { genomeBuild: requested } = options;
  if (found !== undefined && requested !== undefined && found !== requested)
    throw new InputError(
      `The positions of the file are on ${found}, but the request names ${requested}. Omit genomeBuild, or correct the file.`,
    );
  return found ?? requested;
}

/** Warns of a header whose lines contradict each other about the build. */
export function warnOfContradiction(
  headerLines: readonly string[],
  build: GenomeBuild | undefined,
  report: Reporter,
): void {
  const claims = contradictingBuilds(headerLines);
  if (claims === undefined) return;
  report.warn({
    message: `The lines of the header contradict each other about the genome build (${claims}). genome_build is ${build ?? 'NULL'}: correct the header, or name genomeBuild.`,
  });
}

/**
 * Returns the build of rows from the accessions of their chromosomes. A contradiction among them, or with the header, leaves it
 * undefined with a warning.
 */
export function agreedBuild(
  { options }: Pick<ConversionTask, 'options'>,
  build: GenomeBuild | undefined,
  ofRows: ReadonlySet<GenomeBuild>,
  report: Reporter,
): GenomeBuild | undefined {
  const builds = build === undefined ? ofRows : ofRows.union(new Set([build]));
  if (builds.size < 2) return build;
  const names = [...builds].toSorted().join(', ');
  report.warn({
    message: `The file has chromosomes of several genome builds (${names}), whose positions are not comparable: ingest a file for each build.`,
  });
  return options.genomeBuild;
}

/** Adds the build to the tables with positions. */
export function onBuild(tables: readonly ConvertedTable[], build: GenomeBuild | undefined): ConvertedTable[] {
  return tables.map((table) =>
    build !== undefined && positioned.has(table.table) ? { ...table, genomeBuild: build } : table,
  );
}

/** Columns with the first position of a row. */
const positions: ReadonlySet<string> = new Set(['position', 'start_position']);

/** Warns of rows beyond the end of their chromosome: the positions are of another build than the header or the request names. */
export async function warnOfBeyond(
  tables: readonly ConvertedTable[],
  build: GenomeBuild | undefined,
  sql: Sql,
  report: Reporter,
): Promise<void> {
  if (build === undefined) return;
  const ends = chromosomeLengths[build].map((last, place) => `('${nuclearChromosomes[place]}', ${last})`);
  for (const { table, path } of tables) {
    if (!positioned.has(table)) continue;
    const position = storedTable(table).columns.find(({ name }) => positions.has(name))?.name;
    if (position === undefined) continue;
    const beyond = await sql.count(
      `(FROM read_parquet(${literal(path)}) JOIN (VALUES ${ends.join(', ')}) AS ends(name, last) ON chromosome = ends.name WHERE ${position} > ends.last)`,
    );
    if (beyond === 0) continue;
    const message = `${beyond} rows of ${table} are beyond the end of their chromosome in ${build}: the positions are on another build than the header or the request names. Correct it and ingest the file again.`;
    report.warn({ message });
  }
}
