import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError, TabixBuilder, virtualOffset } from '@ploidy/formats';
import type { ConversionTask, ConvertedTable, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { readBlocks } from '../bam/blocks.ts';

const lineFeed = 10;
const lineBytesMax = 1024 * 1024 * 1024;

/** Builds the tabix index of a bgzipped VCF. Runs in a worker process. */
export async function indexVcf(
  { sourcePath, outputFolder }: ConversionTask,
  _sql: Sql,
  report: Reporter,
): Promise<ConvertedTable[]> {
  const builder = new TabixBuilder();
  const lines = new PlacedLines(builder);
  let end = 0;
  for await (const { content, blocks, nextStart } of readBlocks(sourcePath)) {
    let at = 0;
    for (const [index, { start, size }] of blocks.entries()) {
      const bytes = Buffer.from(content.buffer, content.byteOffset + at, size);
      lines.take(bytes, start, blocks[index + 1]?.start ?? nextStart);
      at += size;
    }
    end = nextStart;
    report.progress(end, builder.records);
  }
  lines.finish(end);
  const path = join(outputFolder, 'variants.tbi');
  await writeFile(path, builder.finish());
  return [{ table: '_index', path, rows: builder.records }];
}

/** Tells lines apart, and where in the file each of them begins. */
class PlacedLines {
  readonly #builder: TabixBuilder;
  /** What is there of a line whose end is still to come. */
  #begun: Buffer[] = [];
  #begunBytes = 0;
  #start = 0;

  constructor(builder: TabixBuilder) {
    this.#builder = builder;
  }

  /** The next block: where it begins in the file, and where the one after it does. */
  take(content: Buffer, block: number, nextBlock: number): void {
    if (this.#begunBytes === 0 && content.length > 0) this.#start = virtualOffset(block, 0);
    let at = 0;
    for (let end = content.indexOf(lineFeed); end >= 0; end = content.indexOf(lineFeed, at)) {
      const next = end + 1 === content.length ? virtualOffset(nextBlock, 0) : virtualOffset(block, end + 1);
      this.#add(content.subarray(at, end), next);
      at = end + 1;
    }
    if (at === content.length) return;
    // The batch may be used again for what comes next.
    this.#begun.push(Buffer.from(content.subarray(at)));
    this.#begunBytes += content.length - at;
    if (this.#begunBytes > lineBytesMax) throw new InputError('A line is longer than 1 GiB.');
  }

  /** The file has ended; its last line may have no end. */
  finish(end: number): void {
    if (this.#begunBytes > 0) this.#add(Buffer.alloc(0), virtualOffset(end, 0));
  }

  #add(piece: Buffer, next: number): void {
    const line = this.#begunBytes === 0 ? piece : Buffer.concat([...this.#begun, piece]);
    this.#begun = [];
    this.#begunBytes = 0;
    this.#builder.add(line, this.#start, next);
    this.#start = next;
  }
}
