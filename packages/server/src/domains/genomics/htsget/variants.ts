import type { FilesTable } from '../../../platform/records/schema.ts';
import { attributesToRead, type Files } from '../../files/index.ts';
import { pieceOf } from './blocks/block-stream.ts';
import type { ThreadContents } from './contents/thread-contents.ts';
import type { Kind, TicketSource } from './ticket-source.ts';
import type { VariantIndexes } from './variant-indexes.ts';

/** Serves variants: a bgzipped VCF or BCF file, by the file's id. */
export function variantsKind(files: Files, indexes: VariantIndexes, contents: ThreadContents): Kind {
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

function variantsSource(file: FilesTable, indexes: VariantIndexes, contents: ThreadContents): TicketSource {
  const blob = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const asked = { blob, readAs: 'VARIANTS' } as const;
  const { account_id: account } = file;
  return {
    attributes: attributesToRead(file),
    blob: () => blob,
    header: () => contents.header(asked, account),
    piece: (piece) => pieceOf(contents.file(blob), piece),
    chunks: async (regions, { wait, signal }) => {
      // A file without a header gets no index.
      await contents.header(asked, account);
      const index = await indexes.of(file, wait);
      return contents.chunks({ ...asked, index, regions }, account, signal);
    },
  };
}
