import type { GenomeBuild } from './genome-build.ts';

/** Chromosomes 1 to 22, X and Y. */
export const nuclearChromosomes: readonly string[] = [
  ...Array.from({ length: 22 }, (_, index) => `chr${index + 1}`),
  'chrX',
  'chrY',
];

/** RefSeq's versions of NC_000001 to NC_000024 in GRCh37; those of GRCh38 are each one later (assembly reports of NCBI). */
const versionsOfGrch37 = [
  10, 11, 11, 11, 9, 11, 13, 10, 11, 10, 9, 11, 10, 8, 9, 9, 10, 9, 9, 10, 8, 10, 10, 9,
];
/** The first of T2T-CHM13v2.0, NC_060925.1, is that of chromosome 1. */
const firstOfT2t = 60925;

/** The chromosome of man that a RefSeq accession names, of whatever version, and the build that its version is of, if it is known. */
export function accessionOf(
  name: string,
): { chromosome: string; genomeBuild: GenomeBuild | undefined } | undefined {
  const [, digits = '', version = ''] = /^NC_(\d{6})(?:\.(\d{1,3}))?$/i.exec(name) ?? [];
  const number = Number(digits);
  if (number === 12920) return { chromosome: 'chrM', genomeBuild: undefined };
  const isT2t = number >= firstOfT2t;
  const place = isT2t ? number - firstOfT2t : number - 1;
  const chromosome = nuclearChromosomes[place];
  if (chromosome === undefined) return undefined;
  if (isT2t) return { chromosome, genomeBuild: version === '1' ? 'T2T-CHM13v2.0' : undefined };
  const later = Number(version) - (versionsOfGrch37[place] ?? 0);
  return { chromosome, genomeBuild: later === 0 ? 'GRCh37' : later === 1 ? 'GRCh38' : undefined };
}
