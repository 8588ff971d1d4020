import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import {
  BcfPlaces,
  type ContentBlock,
  InputError,
  isBcf,
  TabixBuilder,
  virtualOffset,
} from '@ploidy/formats';
import { readBlocks } from '../bam/blocks.ts';

const lineFeed = 10;
const lineBytesMax = 1024 * 1024 * 1024;

/** Builds the index of a bgzipped VCF or of a BCF. Runs in a worker process. */
export async function indexVcf(
  { sourcePath, outputFolder }: ConversionTask,
  _sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const builder = new TabixBuilder();
  let records: BcfPlaces | PlacedLines | undefined;
  for await (const { content, blocks, nextStart } of readBlocks(sourcePath)) {
    records ??= isBcf(content) ? new BcfPlaces(builder) : new PlacedLines(builder);
    records.take(content, blocks, nextStart);
    report.progress(nextStart, builder.records);
  }
  records?.end();
  const path = join(outputFolder, 'variants.tbi');
  await writeFile(path, builder.finish());
  return [{ table: '_index', path, rows: builder.records }];
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
