import type { Caller } from '../../../access/caller.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { Lake } from '../lake.ts';
import { type DirectRows, pageRowsMax } from '../queries/direct-rows.ts';
import { type Schema, schemasOf } from '../trino/schemas.ts';
import { allelesStatement, type VariantSearch } from './variant-search.ts';

export interface BeaconDeps {
  records: Records;
  lake: Lake;
  rows: DirectRows;
  countsMin: number;
}

type By = { caller: Caller; requestId: string; signal: AbortSignal };

/** Counts alleles over the projects of a caller. */
export class Beacon {
  readonly #deps: BeaconDeps;

  constructor(deps: BeaconDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the number of different alleles that match, in all projects whose rows the caller may read, up to
   * `pageRowsMax`. Each project is asked by a statement of the caller, so masks and small counts hold.
   */
  async count(search: VariantSearch, by: By): Promise<number> {
    const statement = allelesStatement(search);
    const alleles = new Set<string>();
    for (const schema of await schemasOf(this.#deps, by.caller)) {
      if (alleles.size >= pageRowsMax) break;
      if (!(await this.#hasVariants(schema, search.assemblyId))) continue;
      const rows = await this.#deps.rows.all(schema.project, statement, pageRowsMax, by);
      for (const [chromosome, position, reference, alternate] of rows)
        alleles.add(`${chromosome}:${position}:${reference}:${alternate}`);
    }
    return Math.min(alleles.size, pageRowsMax);
  }

  /** Reports whether a project has variants that the caller sees, and of the build if one is named. */
  async #hasVariants({ project, access }: Schema, build: string | undefined): Promise<boolean> {
    const { records, lake } = this.#deps;
    const { tables } = await lake.snapshot(project.id, access);
    if (!tables.has('variant') || build === undefined) return tables.has('variant');
    const files = await records.read
      .selectFrom('lake_files')
      .select('genome_build')
      .where('project_id', '=', project.id)
      .where('table_name', '=', 'variant')
      .where('removed_version', 'is', null)
      .execute();
    const wanted = new Set([build, namesOfUcsc[build]]);
    return files.some(({ genome_build }) => genome_build !== null && wanted.has(genome_build));
  }
}

const namesOfUcsc: Readonly<Record<string, string>> = {
  hg18: 'NCBI36',
  hg19: 'GRCh37',
  hg38: 'GRCh38',
  hs1: 'T2T-CHM13v2.0',
};
