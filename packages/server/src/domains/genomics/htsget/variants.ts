import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { isBcf } from '@ploidy/formats/bcf';
import { isBlockStart, isGzipStart } from '@ploidy/formats/bgzf';
import { LRUCache } from 'lru-cache';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import type { FilesTable } from '../../../platform/records/schema.ts';
import { attributesToRead, type Files } from '../../files/index.ts';
import { pieceOf } from './blocks/block-stream.ts';
import type { ThreadContents } from './contents/thread-contents.ts';
import type { Kind, TicketSource } from './ticket-source.ts';
import type { VariantIndexes } from './variant-indexes.ts';

interface VariantDeps {
  files: Files;
  blobs: Pick<Blobs, 'open'>;
  indexes: VariantIndexes;
  contents: ThreadContents;
  /** Requires that the packed bytes of a file fit into its account. */
  requireRoom(file: FilesTable): Promise<void>;
}

/** Serves variants: a VCF or BCF file, by the file's id. One without the blocks of bgzip is packed into such. */
export function variantsKind(deps: VariantDeps): Kind {
  const { files, indexes, blobs } = deps;
  const unpacked = new LRUCache<string, boolean>({ max: knownMax });
  const isUnpacked = async (blob: BlobInfo): Promise<boolean> => {
    const known = unpacked.get(blob.key) ?? (await startsUnpacked(blobs, blob));
    unpacked.set(blob.key, known);
    return known;
  };
  return {
    name: 'variants',
    formats: ['VCF', 'BCF'],
    operation: 'htsget.variants',
    find: async (account, id, format) => {
      const file = await files.find(id);
      if (file?.account_id !== account) return undefined;
      const twin = format === undefined ? undefined : await twinOf(files, file, format);
      const chosen = twin ?? file;
      const packed = await indexes.packedOf(chosen);
      return variantsSource({ ...deps, isUnpacked }, chosen, packed);
    },
  };
}

const endings: Readonly<Record<string, readonly string[]>> = {
  VCF: ['.vcf.gz', '.vcf.bgz', '.vcf'],
  BCF: ['.bcf'],
};

/** Finds the file of the same name in another format: `cohort.bcf` beside `cohort.vcf.gz`. */
async function twinOf(
  files: Files,
  { name, project_id }: FilesTable,
  format: string,
): Promise<FilesTable | undefined> {
  const [, stem, ending = ''] = /^(.+?)(\.vcf(?:\.b?gz)?|\.bcf)$/i.exec(name) ?? [];
  const wanted = endings[format] ?? [];
  if (stem === undefined || wanted.includes(ending.toLowerCase())) return undefined;
  return files.named(
    project_id,
    wanted.map((one) => `${stem}${one}`),
  );
}

/** `packed`: the file in blocks, where it has none itself. */
function variantsSource(
  deps: VariantDeps & { isUnpacked(blob: BlobInfo): Promise<boolean> },
  file: FilesTable,
  packed: BlobInfo | undefined,
): TicketSource {
  const { indexes, contents } = deps;
  const stored = { key: file.blob_key, size: file.size, sha256: file.sha256 };
  const blob = packed ?? stored;
  const asked = { blob, readAs: 'VARIANTS' } as const;
  const { account_id: account } = file;
  return {
    id: file.id,
    attributes: attributesToRead(file),
    blob: () => blob,
    inBlocks: async ({ wait }) => {
      if (packed || !(await deps.isUnpacked(stored))) return variantsSource(deps, file, packed);
      await deps.requireRoom(file);
      await indexes.of(file, wait);
      return variantsSource(deps, file, await indexes.packedOf(file));
    },
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

/** Files whose kind is remembered: bytes of a key never change. */
const knownMax = 10_000;
/** Bytes at the start of a file by which its kind is known: a gzip header and the first words of a VCF. */
const startBytes = 4096;
const inflated = promisify(gunzip);

/** Reports whether a file is a VCF, plain or gzip, without the blocks that bgzip makes. */
async function startsUnpacked(blobs: Pick<Blobs, 'open'>, { key, size }: BlobInfo): Promise<boolean> {
  const range = { start: 0, end: Math.min(size, startBytes) };
  const start = Buffer.concat(await (await blobs.open(key, range)).toArray());
  if (isBlockStart(start)) return false;
  // The part of a stream has no end.
  const text = isGzipStart(start)
    ? await inflated(start, { finishFlush: constants.Z_SYNC_FLUSH }).catch(() => Buffer.alloc(0))
    : start;
  return /^(?:\ufeff)?##fileformat=VCF/.test(text.subarray(0, 100).toString()) || isBcf(text);
}
