import {
  attributesOfReadGroupSet,
  type ReadGroupSets,
  type ReadsRow,
  type ReadsSource,
  readsOf,
} from '../datasets/index.ts';
import { pieceOf } from './blocks/block-stream.ts';
import type { ThreadContents } from './contents/thread-contents.ts';
import { beingIndexed, notFoundWithReason } from './problem.ts';
import type { Kind, TicketSource } from './ticket-source.ts';

/** Serves reads: the file of a read group set with the index built at its ingestion. */
export function readsKind(sets: ReadGroupSets, contents: ThreadContents): Kind {
  return {
    name: 'reads',
    formats: ['BAM', 'CRAM'],
    operation: 'htsget.reads',
    find: async (account, id, format) => {
      const set = await sets.findReads(account, id);
      const isOther = set && (format === 'BAM' || format === 'CRAM') && format !== set.format;
      const twin = isOther ? await sets.findTwin(set, format) : undefined;
      return set && readsSource(twin ?? set, contents);
    },
  };
}

function readsSource(set: ReadsRow, contents: ThreadContents): TicketSource {
  const isCram = set.format === 'CRAM';
  const asked = () => ({ blob: sourceOf(set).reads, readAs: isCram ? 'CRAM' : 'BAM' }) as const;
  const attributes = attributesOfReadGroupSet(set);
  const { account } = attributes;
  return {
    id: set.id,
    attributes,
    blob: () => sourceOf(set).reads,
    header: () => contents.header(asked(), account),
    chunks: (regions, { signal }) =>
      contents.chunks({ ...asked(), index: sourceOf(set).index, regions }, account, signal),
    piece: (piece) =>
      isCram
        ? contents.cram(sourceOf(set).reads).piece(piece)
        : pieceOf(contents.file(sourceOf(set).reads), piece),
  };
}

function sourceOf(set: ReadsRow): ReadsSource {
  const source = readsOf(set);
  if (source) return source;
  if (set.status === 'INDEXING') throw beingIndexed();
  throw notFoundWithReason('The file could not be read: see the message of the read group set.');
}
