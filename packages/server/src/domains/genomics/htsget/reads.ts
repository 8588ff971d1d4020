import { type BamHeader, readBamHeader, type ShortHeader } from '@ploidy/formats/bam';
import { readBai } from '@ploidy/formats/binning';
import { CramIndex } from '@ploidy/formats/cram';
import {
  attributesOfReadGroupSet,
  type ReadGroupSets,
  type ReadsRow,
  type ReadsSource,
  readsOf,
} from '../datasets/index.ts';
import { pieceOf } from './blocks/block-stream.ts';
import type { Piece } from './blocks/block-urls.ts';
import type { Contents, Kind, SequenceIndex, TicketSource } from './blocks/ticket-source.ts';
import type { Header, HeaderReading } from './header.ts';
import { beingIndexed, notFoundWithReason } from './problem.ts';

/** Serves reads: the file of a read group set with the index built at its ingestion. */
export function readsKind(sets: ReadGroupSets, contents: Contents): Kind {
  return {
    name: 'reads',
    formats: ['BAM', 'CRAM'],
    operation: 'htsget.reads',
    find: async (account, id) => {
      const set = await sets.findReads(account, id);
      return set && readsSource(set, contents);
    },
  };
}

function readsSource(set: ReadsRow, contents: Contents): TicketSource {
  const common = { attributes: attributesOfReadGroupSet(set), blob: () => sourceOf(set).reads };
  if (set.format === 'CRAM') {
    const header = () => contents.cramHeader(sourceOf(set).reads);
    const readIndex = (bytes: Buffer, { contentEnd }: Header) =>
      new CramIndex(bytes.toString('latin1'), contentEnd);
    const piece = (piece: Piece) => contents.cram(sourceOf(set).reads).piece(piece);
    return { ...common, header, index: indexOf(set, contents, header, readIndex), piece };
  }
  const header = () => contents.header('reads', sourceOf(set).reads, readBam);
  const piece = (piece: Piece) => pieceOf(contents.file(sourceOf(set).reads), piece);
  return { ...common, header, index: indexOf(set, contents, header, readBai), piece };
}

/** Returns a function that reads the index of a set. */
function indexOf(
  set: ReadsRow,
  contents: Contents,
  readHeader: () => Promise<Header>,
  readIndex: (bytes: Buffer, header: Header) => SequenceIndex['bins'],
): TicketSource['index'] {
  return () =>
    contents.index(sourceOf(set).index, async (bytes) => {
      const header = await readHeader();
      const numbers = new Map(header.references.map((name, number) => [name, number]));
      return { numbers, bins: readIndex(bytes, header) };
    });
}

function sourceOf(set: ReadsRow): ReadsSource {
  const source = readsOf(set);
  if (source) return source;
  if (set.status === 'INDEXING') throw beingIndexed();
  throw notFoundWithReason('The file could not be read: see the message of the read group set.');
}

function readBam(bytes: Uint8Array): HeaderReading {
  const header: BamHeader | ShortHeader = readBamHeader(bytes);
  if ('bytesNeeded' in header) return header;
  return { format: 'BAM', size: header.size, references: header.references.map(({ name }) => name) };
}
