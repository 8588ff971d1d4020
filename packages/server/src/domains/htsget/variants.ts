import { readTabix } from '@ploidy/formats/binning';
import type { FilesTable } from '../../platform/records/schema.ts';
import { attributesOf, type Files } from '../files/index.ts';
import type { Contents, Kind, SequenceIndex, Streamed } from './streamed.ts';
import type { VariantIndexes } from './variant-indexes.ts';
import { readVcfHeader } from './vcf-header.ts';

/** Variants: a bgzipped VCF among the files of a project, by the file's id. */
export function variantsKind(files: Files, indexes: VariantIndexes, contents: Contents): Kind {
  return {
    name: 'variants',
    format: 'VCF',
    operation: 'htsget.variants',
    find: async (account, id) => {
      const file = await files.find(id);
      return file?.account_id === account ? streamedVariants(file, indexes, contents) : undefined;
    },
  };
}

function streamedVariants(file: FilesTable, indexes: VariantIndexes, contents: Contents): Streamed {
  const blob = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const header = () => contents.header(blob, readVcfHeader);
  return {
    attributes: attributesOf(file),
    blob: () => blob,
    header,
    index: async (signal) => {
      const { references } = await header();
      const index = await indexes.of(file, signal);
      return contents.index(index, (bytes) => sequencesOf(bytes, references));
    },
  };
}

/** Sequences by the numbers that the index gives them. Those that only the header names have no records: their numbers lie behind. */
function sequencesOf(bytes: Uint8Array, references: readonly string[]): SequenceIndex {
  const { names, bins } = readTabix(bytes);
  return {
    bins,
    numbers: new Map([...new Set([...names, ...references])].map((name, number) => [name, number])),
  };
}
