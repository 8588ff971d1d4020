import { type VirtualOffset, virtualOffset } from '../bgzf/virtual-offset.ts';

/** Block of a file: its start there, and its number of uncompressed bytes. */
export interface ContentBlock {
  start: number;
  size: number;
}

/** Maps positions in uncompressed bytes to virtual offsets. Blocks arrive one by one, and positions are queried in order. */
export class BlockPlaces {
  #starts: number[] = [];
  #contents: number[] = [];
  #current = 0;

  /**
   * Drops everything before `position`, which becomes 0, and adds blocks: those of the content at `length`, and the start of
   * the block after them.
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

  /** Treats the end of a block as the start of the next, also of an empty one, as samtools does. */
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
