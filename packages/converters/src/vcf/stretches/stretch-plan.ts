import { columnsBeforeSamples, groupRowsMax } from '@ploidy/formats';

/** Division of a file for mapping. */
export interface StretchPlan {
  /** Bytes of text that are mapped at a time. */
  stretchBytes: number;
  /** Mapping threads; a single one reads as well. */
  threadCount: number;
  /** Set if all rows are expected in one row group, which is sorted in itself. */
  isOneGroup?: boolean;
}

/** Facts about a source by which it is divided. */
interface SourceSize {
  /** Bytes of the source. */
  sourceSize: number;
  isCompressed: boolean;
  /** The first records, at least one for a source with rows. */
  records: readonly string[];
  sampleCount: number;
}

/** Stretches of a file: enough to keep all threads busy up to its end. */
const stretchesWanted = 40;
/** Some stretches are in memory at once. */
const stretchBytesMin = 1 << 20;
const stretchBytesUsual = 6 << 20;
/** Files of several samples need larger groups: a question for one of them reads a column of each. */
const stretchBytesMax = { one: 8 << 20, several: 24 << 20 };
/** Memory of a small file whose text is known: a larger one would only be cleared and collected. */
const smallBytes = 64 << 10;
/** Approximate bytes of text for one of gzip. */
const inflation = 6;
/** Minimum text for a second thread: less is mapped before it has started. */
const threadedBytesMin = 32 << 20;
/** Records in which rows are counted. */
const countedRecords = 200;
/** Share of a row group that is expected at most in a file of one: the first records are not like all others. */
const oneGroupShare = 1 / 4;

/**
 * Plans the division of a file among a maximum number of threads. A stretch has row groups of its own: its text has the rows of
 * half a group at least, as far as memory allows.
 */
export function stretchPlan(source: SourceSize, threads: number): StretchPlan {
  const { sourceSize, isCompressed } = source;
  const textBytes = sourceSize * (isCompressed ? inflation : 1);
  const bytesOfRow = textOfRow(source);
  const groupBytes = groupRowsMax * bytesOfRow;
  const bytesMax = stretchBytesMax[source.sampleCount > 1 ? 'several' : 'one'];
  const least = within(groupBytes / 2, stretchBytesMin, bytesMax);
  const most = within(groupBytes, stretchBytesUsual, bytesMax);
  const share = within(textBytes / stretchesWanted, least, most);
  const smallest = isCompressed ? stretchBytesMin : smallBytes;
  const stretchBytes = Math.ceil(Math.min(share, Math.max(textBytes, smallest)));
  return {
    stretchBytes,
    threadCount: textBytes < threadedBytesMin ? 1 : threads,
    isOneGroup: textBytes <= stretchBytes && textBytes <= groupBytes * oneGroupShare,
  };
}

const within = (value: number, least: number, most: number): number =>
  Math.min(Math.max(value, least), Math.max(least, most));

/** Estimates the text of a row, in bytes, by the first records: a row is of a sample with an alternate. */
function textOfRow({ records, sampleCount }: SourceSize): number {
  let [bytes, rows] = [0, 0];
  for (const record of records.slice(0, countedRecords)) {
    bytes += record.length + 1;
    rows += sampleCount > 1 ? carriersIn(record) : 1;
  }
  return bytes / Math.max(rows, 1);
}

function carriersIn(record: string): number {
  let start = -1;
  for (let column = 0; column < columnsBeforeSamples; column += 1) start = record.indexOf('\t', start + 1);
  return start < 0 ? 0 : (record.slice(start).match(/\t[^\t:1-9]*[1-9]/g) ?? []).length;
}
