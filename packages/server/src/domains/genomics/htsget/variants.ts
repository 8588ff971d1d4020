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
    find: async (account, id, format) => {
      const file = await files.find(id);
      if (file?.account_id !== account) return undefined;
      const twin = format === undefined ? undefined : await twinOf(files, file, format);
      return variantsSource(twin ?? file, indexes, contents);
    },
  };
}

const endings: Readonly<Record<string, readonly string[]>> = { VCF: ['.vcf.gz', '.vcf.bgz'], BCF: ['.bcf'] };

/** Finds the file of the same name in another format: `cohort.bcf` beside `cohort.vcf.gz`. */
async function twinOf(
  files: Files,
  { name, project_id }: FilesTable,
  format: string,
): Promise<FilesTable | undefined> {
  const [, stem, ending = ''] = /^(.+?)(\.vcf\.b?gz|\.bcf)$/i.exec(name) ?? [];
  const wanted = endings[format] ?? [];
  if (stem === undefined || wanted.includes(ending.toLowerCase())) return undefined;
  return files.named(
    project_id,
    wanted.map((one) => `${stem}${one}`),
  );
}

function variantsSource(file: FilesTable, indexes: VariantIndexes, contents: ThreadContents): TicketSource {
  const blob = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const asked = { blob, readAs: 'VARIANTS' } as const;
  const { account_id: account } = file;
  return {
    id: file.id,
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
