import type { Reporter } from '@ploidy/engine';
import { ComputedAnnotations, chromosomeName, InputError } from '@ploidy/formats';
import type { Beginning } from './beginning.ts';
import { type GenomeFiles, openGenome } from './genome-files.ts';

/** Records that were compared with the reference, and those whose REF differs from it. */
interface Compared {
  comparedCount: number;
  contradictedCount: number;
}

/** Share of records whose REF may differ: a few are wrong in some files; on another build most are. */
const contradictedShareMax = 0.01;
/** Records that may differ in any file. */
const contradictedMax = 5;

/** Compares the first records with the reference. Throws `InputError` for a file of another build. */
export function requireReference({ records }: Beginning, files: GenomeFiles): void {
  const { bases } = openGenome(files);
  const computed = new ComputedAnnotations({ bases, transcripts: () => undefined });
  for (const record of records) {
    const [chromosome = '', position = '', , reference = ''] = record.split('\t', 5);
    computed.agrees(chromosomeName(chromosome), Number(position), reference.toUpperCase());
  }
  requireFew(computed.takeCounts(), files);
}

/** Warns of records whose REF differs. Throws `InputError` where they are too many for the build of the reference. */
export function checkReference(compared: Compared, files: GenomeFiles | undefined, report: Reporter): void {
  if (!files || compared.contradictedCount === 0) return;
  requireFew(compared, files);
  report.warn({
    message: `REF of ${compared.contradictedCount} records differs from the reference: they have no consequences.`,
  });
}

function requireFew({ comparedCount, contradictedCount }: Compared, { name }: GenomeFiles): void {
  if (contradictedCount <= Math.max(contradictedMax, comparedCount * contradictedShareMax)) return;
  throw new InputError(
    `REF of ${contradictedCount} of ${comparedCount} compared records differs from the reference of the gene models ${name}: the file is on another genome build. Name its build in the request (genomeBuild), or ingest the gene models (GFF3) and the reference (FASTA) of its build first.`,
  );
}
