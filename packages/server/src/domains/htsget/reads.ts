import { type BamHeader, readBamHeader, type ShortHeader } from '@ploidy/formats/bam';
import { readBai } from '@ploidy/formats/binning';
import {
  attributesOfReadGroupSet,
  type ReadGroupSets,
  type ReadsRow,
  type ReadsSource,
  readsOf,
} from '../genomics/index.ts';
import type { HeaderReading } from './header.ts';
import { beingIndexed, nothingThere } from './problem.ts';
import type { Contents, Kind, Streamed } from './streamed.ts';

/** Reads: the BAM of a read group set and the index that was built when it was ingested. */
export function readsKind(sets: ReadGroupSets, contents: Contents): Kind {
  return {
    name: 'reads',
    format: 'BAM',
    operation: 'htsget.reads',
    find: async (account, id) => {
      const set = await sets.findReads(account, id);
      return set && streamedReads(set, contents);
    },
  };
}

function streamedReads(set: ReadsRow, contents: Contents): Streamed {
  const header = () => contents.header(sourceOf(set).bam, readBam);
  return {
    attributes: attributesOfReadGroupSet(set),
    blob: () => sourceOf(set).bam,
    header,
    index: () =>
      contents.index(sourceOf(set).index, async (bytes) => {
        const { references } = await header();
        return { numbers: new Map(references.map((name, number) => [name, number])), bins: readBai(bytes) };
      }),
  };
}

function sourceOf(set: ReadsRow): ReadsSource {
  const source = readsOf(set);
  if (source) return source;
  if (set.status === 'INDEXING') throw beingIndexed();
  throw nothingThere('Its file could not be read: look at the message of the read group set.');
}

function readBam(bytes: Uint8Array): HeaderReading {
  const header: BamHeader | ShortHeader = readBamHeader(bytes);
  if ('bytesNeeded' in header) return header;
  return { size: header.size, references: header.references.map(({ name }) => name) };
}
