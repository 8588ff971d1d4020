/** Other formats that are uploaded as BAM, by their first bytes. */
const upload = 'upload its file, plain or compressed with gzip.';
const signatures: readonly [string, string][] = [
  ['BAI\u0001', 'This is an index of a BAM. Ingest the BAM itself: its index is built automatically.'],
  ['CSI\u0001', 'This is an index. Ingest the file it belongs to: its index is built automatically.'],
  ['TBI\u0001', 'This is an index. Ingest the file it belongs to.'],
  [
    'PK\u0003\u0004',
    `This is a ZIP archive or a spreadsheet (.xlsx). Unpack it, or save the sheet as CSV, then ${upload}`,
  ],
  ['\u001f\u008b', `This is compressed with gzip twice. Unpack it (gunzip), then ${upload}`],
  ['BZh', `This is compressed with bzip2. Unpack it (bunzip2), then ${upload}`],
  ['\u00fd7zX', `This is compressed with xz. Unpack it (unxz), then ${upload}`],
  ['\u0028\u00b5\u002f\u00fd', `This is compressed with zstd. Unpack it (unzstd), then ${upload}`],
  ['7z\u00bc\u00af', `This is a 7z archive. Unpack it, then ${upload}`],
  ['Rar!', `This is a RAR archive. Unpack it, then ${upload}`],
  ['%PDF', 'This is a PDF, which holds no records. Upload the data it was made from.'],
  ['<!', 'This is a web page (HTML), probably of a failed download. Upload the file itself.'],
  ['<htm', 'This is a web page (HTML), probably of a failed download. Upload the file itself.'],
  ['<', 'This is XML, which is not supported. Export FHIR as JSON (NDJSON or a Bundle).'],
  ['MSH|', 'These are messages of HL7 v2. Convert them to FHIR, and upload the NDJSON or Bundle.'],
  ['#1.3', 'This is a GCT 1.3. Write it as GCT 1.2, which has no rows of metadata.'],
];

/** Place of `ustar` in an archive (POSIX.1-1988). */
const tarMark = 257;
const samHeader = /^@(?:HD|SQ|RG)\t/;
/** Tables of GATK (segments, copy ratios, allelic counts) with the header of a SAM above their column names. */
const gatkColumns = /^CONTIG\t(?:START|POSITION)\t/;
/** Segments of GATK, which are read as copy numbers. */
const gatkSegments = /^CONTIG\tSTART\tEND\tNUM_POINTS_COPY_RATIO\t/;
/** A line of Picard's interval list: contig, start, end, strand, name. A SAM has eleven columns (SAM §1.4). */
const interval = /^[^\t]+\t\d+\t\d+\t[+-](?:\t[^\t]*)?\r?\n$/;
const convertSam = 'Convert it (samtools view -b), then ingest the BAM.';
const sendIgv =
  'GATK also writes its segments for IGV (.called.igv.seg, .cr.igv.seg): ingest those as copy numbers.';

/** Returns advice for a file of a foreign format, by its start; `undefined` for all others. */
export function foreignFormat(beginning: Uint8Array): string | undefined {
  const text = String.fromCharCode(...beginning.subarray(0, 4));
  if (new TextDecoder('latin1').decode(beginning.subarray(tarMark, tarMark + 5)) === 'ustar')
    return `This is a tar archive. Unpack it, then ${upload}`;
  if (samHeader.test(text)) return underSamHeader(new TextDecoder('latin1').decode(beginning));
  return signatures.find(([signature]) => text.startsWith(signature))?.[1];
}

function underSamHeader(text: string): string | undefined {
  // Complete lines only: a truncated one proves nothing.
  const [first] = /^[^@\r\n].*\n/m.exec(text) ?? [];
  if (first === undefined)
    return `This is a SAM or a table of GATK. A SAM: ${convertSam} Segments: name the type copynumber. ${sendIgv}`;
  if (gatkSegments.test(first)) return undefined;
  if (interval.test(first))
    return 'This is a list of intervals, for which there is no table. It holds no patient data.';
  return gatkColumns.test(first) ? `This is a table of GATK. ${sendIgv}` : `This is a SAM. ${convertSam}`;
}
