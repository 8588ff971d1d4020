/** Names of columns that say what is in them and not whose it is. */
const unspecific = new Set('count,counts,value,expression,tpm,fpkm,rpkm,cpm,reads,numreads,score'.split(','));

/**
 * The sample that a column of values is of. featureCounts names it after the BAM file: folders, `.bam` and what STAR adds are cut. Undefined
 * for names that say what is counted.
 */
export function sampleNameOfColumn(name: string): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '' || unspecific.has(trimmed.toLowerCase())) return undefined;
  if (!/\.(?:bam|sam|cram)$/i.test(trimmed)) return trimmed;
  const file = trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1);
  return file.replace(/\.(?:bam|sam|cram)$/i, '').replace(/[._]?Aligned\.sortedByCoord\.out$/, '');
}
