/** Other formats of reads and indexes that people send where a BAM belongs, by their first bytes, uncompressed or as stored. */
const signatures: readonly [string, string][] = [
  ['CRAM', 'This is a CRAM, which is not taken. Convert it (samtools view -b), then ingest the BAM.'],
  ['BAI\u0001', 'This is an index of a BAM. Ingest the BAM itself; its index is built on the way.'],
  ['CSI\u0001', 'This is an index. Ingest the file that it is of; its index is built on the way.'],
  ['TBI\u0001', 'This is an index. Ingest the file that it is of.'],
  ['BCF\u0002', 'This is a BCF, which is not taken. Convert it (bcftools view), then ingest the VCF.'],
  ['@HD\t', 'This is a SAM. Convert it (samtools view -b), then ingest the BAM.'],
  ['@SQ\t', 'This is a SAM. Convert it (samtools view -b), then ingest the BAM.'],
  ['@RG\t', 'This is a SAM. Convert it (samtools view -b), then ingest the BAM.'],
];

/** What to do with a file of another format, by its beginning; `undefined` for all others. */
export function foreignFormat(beginning: Uint8Array): string | undefined {
  const text = String.fromCharCode(...beginning.subarray(0, 4));
  return signatures.find(([signature]) => text.startsWith(signature))?.[1];
}
