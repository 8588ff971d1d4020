import { type GenomeBuild, genomeBuilds } from '@ploidy/formats/genome-build';
import { genomeBuildNamed } from '@ploidy/formats/genome-build-name';
import type { Caller } from '../../../access/caller.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { inParallel } from '../../../platform/concurrency/in-parallel.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Lake } from '../../lake/index.ts';
import type { DirectRows } from '../../queries/index.ts';
import { type Schema, schemasOf } from '../trino-protocol/schemas.ts';
import { filterOf } from './filters.ts';
import { allelesStatement, type VariantSearch } from './variant-search.ts';

interface BeaconDeps {
  records: Records;
  lake: Lake;
  rows: DirectRows;
  countsMin: number;
  /** Time for a search over all projects. */
  beaconTimeMs: number;
}

/** Statements of a search at once. */
const statementsMax = 3;

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/** Counts alleles over the projects of a caller. */
export class Beacon {
  readonly #deps: BeaconDeps;

  constructor(deps: BeaconDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the number of different alleles that match, in all projects whose rows the caller may read, up to
   * `enough`. Each project is asked by a statement of the caller, so masks and small counts hold. Problem 503
   * where the time is over before: a part of the projects would be a wrong answer.
   */
  async count(search: VariantSearch, enough: number, by: By): Promise<number> {
    const filters = (search.filters ?? []).map(filterOf);
    const tables = ['variant', ...filters.flatMap((one) => one.tables)];
    const statement = allelesStatement(search, filters);
    const build = search.assemblyId === undefined ? undefined : buildOf(search.assemblyId);
    const alleles = new Set<string>();
    const time = AbortSignal.timeout(this.#deps.beaconTimeMs);
    const within = { ...by, signal: AbortSignal.any([by.signal, time]) };
    const ask = async (schema: Schema): Promise<void> => {
      within.signal.throwIfAborted();
      if (alleles.size >= enough || !(await this.#hasVariants(schema, tables, build))) return;
      const rows = await this.#deps.rows.all(schema.project, statement, enough, within);
      for (const [chromosome, position, reference, alternate] of rows)
        alleles.add(`${chromosome}:${position}:${reference}:${alternate}`);
    };
    try {
      await inParallel(await schemasOf(this.#deps, by.caller), statementsMax, ask);
    } catch (error) {
      if (alleles.size < enough) throw time.aborted && !by.signal.aborted ? outOfTime(error) : error;
    }
    return Math.min(alleles.size, enough);
  }

  /** Reports whether a project has these tables for the caller, and variants of the build if one is named. */
  async #hasVariants(
    { project, access }: Schema,
    names: readonly string[],
    build: string | undefined,
  ): Promise<boolean> {
    const { records, lake } = this.#deps;
    const { tables } = await lake.snapshot(project.id, access);
    const hasAll = names.every((name) => tables.has(name));
    if (!hasAll || build === undefined) return hasAll;
    const files = await records.read
      .selectFrom('lake_files')
      .select('genome_build')
      .where('project_id', '=', project.id)
      .where('table_name', '=', 'variant')
      .where('removed_version', 'is', null)
      .execute();
    return files.some(({ genome_build }) => genome_build === build);
  }
}

function outOfTime(cause: unknown): Problem {
  const message = 'Not all projects could be searched in time. Name an assembly, or search a smaller range.';
  return new Problem(503, 'BEACON_TIME', message, { cause, retryAfterS: 5 });
}

/** Returns the build of an assembly. Problem 400 for an unknown one, which no project could have. */
function buildOf(assemblyId: string): GenomeBuild {
  const build = genomeBuildNamed(assemblyId);
  if (build) return build;
  const message = `is no known build: ${genomeBuilds.join(', ')}, or their names at UCSC`;
  throw invalidInput([{ path: 'query/assemblyId', message }]);
}
