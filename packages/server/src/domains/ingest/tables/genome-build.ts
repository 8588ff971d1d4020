import { annotation, type GenomeBuild, InputError } from '@ploidy/formats';
import type { ConversionTask, ConvertedTable, Reporter } from '../../../platform/engine/conversion.ts';

/** Tables whose rows have positions on the genome. */
const positioned: ReadonlySet<string> = new Set(['variant', 'copynumber', 'fusion', annotation.name]);

/** The build that the file tells, else that of the request. Throws `InputError` when they contradict each other. */
export function buildOf(
  { options }: Pick<ConversionTask, 'options'>,
  told: GenomeBuild | undefined,
): GenomeBuild | undefined {
  const { genomeBuild: requested } = options;
  if (told !== undefined && requested !== undefined && told !== requested)
    throw new InputError(
      `The file says that its positions are on ${told}, the request says ${requested}. Leave genomeBuild out, or correct what the file says.`,
    );
  return told ?? requested;
}

/**
 * The build of rows whose chromosomes tell these. Where they contradict each other, or what the file told before, nothing of it counts, and a warning
 * says so.
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
    message: `The file has chromosomes of several builds (${names}), whose positions are not comparable: give each build its own file.`,
  });
  return options.genomeBuild;
}

/** The same tables; those with positions say what they are on. */
export function onBuild(tables: readonly ConvertedTable[], build: GenomeBuild | undefined): ConvertedTable[] {
  return tables.map((table) =>
    build !== undefined && positioned.has(table.table) ? { ...table, genomeBuild: build } : table,
  );
}
