const alignment = /\.(?:bam|sam|cram)$/i;

/** Words for what is in a column and not whose it is, also several of them: `normalized_count`. */
const unspecific = new Set(
  `raw,normalized,normalised,scaled,estimated,est,expected,read,unstranded,count,counts,value,values,expression,tpm,fpkm,rpkm,cpm,reads,numreads,score,mean,average,median,sum,total`.split(
    ',',
  ),
);
/** What R and pandas call a column without a name. */
const nameless = new Set(['x', 'v1', 'v2', '0']);

/**
 * The sample that a column of values is of. featureCounts names it after the BAM file: folders, `.bam` and what STAR adds are cut. Undefined
 * for names that say what is counted.
 */
export function sampleNameOfColumn(name: string): string | undefined {
  const trimmed = name.trim();
  const key = trimmed.toLowerCase();
  if (
    nameless.has(key) ||
    key.startsWith('unnamed:') ||
    key.split(/[\s._-]+/).every((word) => word === '' || unspecific.has(word))
  )
    return undefined;
  if (!isAlignment(trimmed)) return trimmed;
  const file = trimmed.slice(Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\')) + 1);
  return file.replace(alignment, '').replace(/[._]?Aligned\.sortedByCoord\.out$/, '');
}

/** Whether a column is called as a file of aligned reads. */
export const isAlignment = (name: string): boolean => alignment.test(name.trim());
