import { readTabix } from '@ploidy/formats/binning';
import type { FilesTable } from '../../../platform/records/schema.ts';
import { attributesOf, type Files } from '../../files/index.ts';
import { pieceOf } from './blocks/block-stream.ts';
import type { Contents, Kind, SequenceIndex, TicketSource } from './blocks/ticket-source.ts';
import type { VariantIndexes } from './variant-indexes.ts';
import { readVariantsHeader } from './variants-header.ts';

/** Serves variants: a bgzipped VCF or BCF file, by the file's id. */
export function variantsKind(files: Files, indexes: VariantIndexes, contents: Contents): Kind {
  return {
    name: 'variants',
    formats: ['VCF', 'BCF'],
    operation: 'htsget.variants',
    find: async (account, id) => {
      const file = await files.find(id);
      return file?.account_id === account ? variantsSource(file, indexes, contents) : undefined;
    },
  };
}

function variantsSource(file: FilesTable, indexes: VariantIndexes, contents: Contents): TicketSource {
  const blob = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const header = () => contents.header('variants', blob, readVariantsHeader);
  return {
    attributes: attributesOf(file),
    blob: () => blob,
    header,
    piece: (piece) => pieceOf(contents.file(blob), piece),
    index: async (wait) => {
      const { references } = await header();
      const index = await indexes.of(file, wait);
      return contents.index(index, (bytes) => sequencesOf(bytes, references));
    },
  };
}

/**
 * Maps sequence names to the index's numbers. Names only in the header have no records and get higher
 * numbers.
 */
function sequencesOf(bytes: Uint8Array, references: readonly string[]): SequenceIndex {
  const { names, bins } = readTabix(bytes);
  return {
    bins,
    numbers: new Map([...new Set([...names, ...references])].map((name, number) => [name, number])),
  };
}
