import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, deflateRaw } from 'node:zlib';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import {
  BcfPlaces,
  blockHeaderBytes,
  type ContentBlock,
  endOfFileBlock,
  InputError,
  isBcf,
  isBlockStart,
  TabixBuilder,
  virtualOffset,
  writeBlock,
} from '@ploidy/formats';
import { readBlocks } from '../bam/blocks.ts';
import { readSource } from '../decompressed-source.ts';

const lineFeed = 10;
const lineBytesMax = 1024 * 1024 * 1024;

/** Builds the index of a VCF or BCF, and its blocks where it has none. Runs in a worker process. */
export async function indexVcf(
  { sourcePath, outputFolder }: ConversionTask,
  _sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const packedPath = join(outputFolder, 'variants.bgzf');
  const isPacked = await beginsWithBlock(sourcePath);
  if (!isPacked) await pack(sourcePath, packedPath);
  const builder = new TabixBuilder();
  let records: BcfPlaces | PlacedLines | undefined;
  for await (const { content, blocks, nextStart } of readBlocks(isPacked ? sourcePath : packedPath)) {
    records ??= isBcf(content) ? new BcfPlaces(builder) : new PlacedLines(builder);
    records.take(content, blocks, nextStart);
    report.progress(nextStart, builder.records);
  }
  records?.end();
  const path = join(outputFolder, 'variants.tbi');
  await writeFile(path, builder.finish());
  const index = { table: '_index', path, rows: builder.records };
  return isPacked ? [index] : [index, { table: '_packed', path: packedPath, rows: builder.records }];
}

async function beginsWithBlock(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(blockHeaderBytes), 0, blockHeaderBytes, 0);
    return isBlockStart(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Content of a block as in htslib: fits a block even if incompressible. */
const contentBytesMax = 0xff00;
const deflate = promisify(deflateRaw);

/** Writes the bytes of a file, decompressed if they are gzip, as the blocks that bgzip makes. */
async function pack(path: string, packedPath: string): Promise<void> {
  const file = await open(packedPath, 'wx');
  try {
    let rest = Buffer.alloc(0);
    for await (const chunk of readSource(path)) {
      const content = Buffer.concat([rest, chunk]);
      const whole = content.length - (content.length % contentBytesMax);
      await file.appendFile(await blocksOf(content.subarray(0, whole)));
      rest = content.subarray(whole);
    }
    await file.appendFile(Buffer.concat([await blocksOf(rest), endOfFileBlock]));
  } finally {
    await file.close();
  }
}

async function blocksOf(content: Buffer): Promise<Buffer> {
  const count = Math.ceil(content.length / contentBytesMax);
  const pieces = Array.from({ length: count }, (_, at) =>
    content.subarray(at * contentBytesMax, (at + 1) * contentBytesMax),
  );
  const block = async (piece: Buffer): Promise<Uint8Array> =>
    writeBlock(await deflate(piece), { crc32: crc32(piece), size: piece.length });
  return Buffer.concat(await Promise.all(pieces.map(block)));
}

/** Splits lines and finds the place of each in the file. */
class PlacedLines {
  readonly #builder: TabixBuilder;
  /** Parts of the incomplete last line. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #start = 0;
  /** End of the blocks so far. */
  #end = 0;

  constructor(builder: TabixBuilder) {
    this.#builder = builder;
  }

  /** Adds the content of the next blocks. */
  take(content: Uint8Array, blocks: readonly ContentBlock[], nextStart: number): void {
    let at = 0;
    for (const [index, { start, size }] of blocks.entries()) {
      const bytes = Buffer.from(content.buffer, content.byteOffset + at, size);
      this.#takeBlock(bytes, start, blocks[index + 1]?.start ?? nextStart);
      at += size;
    }
    this.#end = nextStart;
  }

  /** Adds the next block: its start in the file, and that of the block after it. */
  #takeBlock(content: Buffer, block: number, nextBlock: number): void {
    if (this.#begunBytes === 0 && content.length > 0) this.#start = virtualOffset(block, 0);
    let at = 0;
    for (let end = content.indexOf(lineFeed); end >= 0; end = content.indexOf(lineFeed, at)) {
      const next = end + 1 === content.length ? virtualOffset(nextBlock, 0) : virtualOffset(block, end + 1);
      this.#add(content.subarray(at, end), next);
      at = end + 1;
    }
    if (at === content.length) return;
    // The next content may reuse the batch.
    this.#begun.push(Buffer.from(content.subarray(at)));
    this.#begunBytes += content.length - at;
    if (this.#begunBytes > lineBytesMax) throw new InputError('A line is longer than 1 GiB.');
  }

  /** Ends the file; its last line may lack an end. */
  end(): void {
    if (this.#begunBytes > 0) this.#add(Buffer.alloc(0), virtualOffset(this.#end, 0));
  }

  #add(piece: Buffer, next: number): void {
    const line = this.#begunBytes === 0 ? piece : Buffer.concat([...this.#begun, piece]);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#builder.add(line, this.#start, next);
    this.#start = next;
  }
}
