import { type VirtualOffset, virtualOffset } from '../bgzf/virtual-offset.ts';

/** A block of a file: where it begins there, and how many bytes it holds uncompressed. */
export interface ContentBlock {
  start: number;
  size: number;
}

/** Maps positions in uncompressed bytes to virtual offsets. Blocks arrive one by one, and positions are asked for in order. */
export class BlockPlaces {
  #starts: number[] = [];
  #contents: number[] = [];
  #current = 0;

  /**
   * Drops what lies before `position`, which becomes 0, and takes more: the blocks of what follows at `length`, and where the one
   * behind them will begin.
   */
  take(position: number, length: number, blocks: readonly ContentBlock[], nextStart: number): void {
    const kept = this.#current;
    this.#starts = this.#starts.slice(kept, -1);
    this.#contents = this.#contents.slice(kept, -1).map((content) => content - position);
    let content = length;
    for (const { start, size } of blocks) {
      this.#starts.push(start);
      this.#contents.push(content);
      content += size;
    }
    this.#starts.push(nextStart);
    this.#contents.push(content);
    this.#current = 0;
  }

  /** A place at the end of a block is the start of the next, also of an empty one, as in samtools. */
  offsetOf(position: number): VirtualOffset {
    const contents = this.#contents;
    let current = this.#current;
    while ((contents[current] as number) < position && (contents[current + 1] ?? Infinity) <= position) {
      current += 1;
    }
    this.#current = current;
    return virtualOffset(this.#starts[current] as number, position - (contents[current] as number));
  }
}
