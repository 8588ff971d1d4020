/** Other formats of reads and indexes that people send where a BAM belongs, by their first bytes, uncompressed or as stored. */
const signatures: readonly [string, string][] = [
  ['CRAM', 'This is a CRAM, which is not taken. Convert it (samtools view -b), then ingest the BAM.'],
  ['BAI\u0001', 'This is an index of a BAM. Ingest the BAM itself; its index is built on the way.'],
  ['CSI\u0001', 'This is an index. Ingest the file that it is of; its index is built on the way.'],
  ['TBI\u0001', 'This is an index. Ingest the file that it is of.'],
  ['BCF\u0002', 'This is a BCF, which is not taken. Convert it (bcftools view), then ingest the VCF.'],
];

const samHeader = /^@(?:HD|SQ|RG)\t/;
/** Tables of GATK (segments, copy ratios, allelic counts) have the header of a SAM above the names of their columns. */
const gatkColumns = /^CONTIG\t(?:START|POSITION)\t/;
/** A line of Picard's interval list: contig, start, end, strand, name. A SAM has eleven columns (SAM §1.4). */
const interval = /^[^\t]+\t\d+\t\d+\t[+-](?:\t[^\t]*)?\r?\n$/;
const convertSam = 'Convert it (samtools view -b), then ingest the BAM.';
const sendIgv =
  'GATK writes its segments for IGV as well (.called.igv.seg, .cr.igv.seg): ingest those as copy numbers.';

/** What to do with a file of another format, by its beginning; `undefined` for all others. */
export function foreignFormat(beginning: Uint8Array): string | undefined {
  const text = String.fromCharCode(...beginning.subarray(0, 4));
  if (samHeader.test(text)) return underSamHeader(new TextDecoder('latin1').decode(beginning));
  return signatures.find(([signature]) => text.startsWith(signature))?.[1];
}

function underSamHeader(text: string): string {
  // Whole: a line that is cut tells neither.
  const [first] = /^[^@\r\n].*\n/m.exec(text) ?? [];
  if (first === undefined) return `This is a SAM or a table of GATK. A SAM: ${convertSam} ${sendIgv}`;
  if (interval.test(first))
    return 'This is a list of intervals, of which there is no table. It holds no data of a patient.';
  return gatkColumns.test(first) ? `This is a table of GATK. ${sendIgv}` : `This is a SAM. ${convertSam}`;
}
