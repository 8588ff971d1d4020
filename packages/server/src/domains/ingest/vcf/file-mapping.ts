import { setImmediate as othersTurn } from 'node:timers/promises';
import { smallGroupsMax } from '@ploidy/formats';
import { forgetAnswer, mappedByThread, nextNumber, tellThreads } from './mapping-threads.ts';
import type { CutStretch } from './stretch-cutter.ts';
import { type MappedStretch, StretchMapper, type StretchSettings } from './stretch-mapper.ts';

/** A stretch whose rows are not taken yet. */
interface GivenStretch extends CutStretch {
  number: number;
  smallGroupsLeft: number;
  /** Once it is mapped. */
  mapped: MappedStretch | undefined;
  answer: Promise<void>;
}

export interface FileMappingParts {
  settings: StretchSettings;
  /** Threads beside this one. */
  threadCount: number;
  /** Bytes of text that may wait for being mapped or taken. */
  waitingBytesMax: number;
  /** Takes what stretches give, in the order of the file. */
  take: (mapped: MappedStretch, given: CutStretch) => void;
}

/** Maps the stretches of one file, on several threads at once; this one does its share when there is nothing to read. */
export class FileMapping {
  readonly #parts: FileMappingParts;
  readonly #file = nextNumber();
  readonly #waiting: GivenStretch[] = [];
  #mapper: StretchMapper | undefined;
  #waitingBytes = 0;
  /** How many more groups of few rows there may be, by what was taken: that does not depend on who was faster. */
  #smallGroupsLeft = smallGroupsMax;

  constructor(parts: FileMappingParts) {
    this.#parts = parts;
    this.#tell({ type: 'begin', file: this.#file, settings: parts.settings });
  }

  /** Resolves when there is room for another one. */
  async give(cut: CutStretch): Promise<void> {
    const number = nextNumber();
    const given: GivenStretch = {
      ...cut,
      number,
      smallGroupsLeft: this.#smallGroupsLeft,
      mapped: undefined,
      answer: Promise.resolve(),
    };
    this.#waiting.push(given);
    this.#waitingBytes += cut.byteCount;
    cut.stretch.offer(number);
    if (this.#parts.threadCount > 0) this.#offer(given);
    while (this.#waitingBytes >= this.#parts.waitingBytesMax) await this.#advance();
  }

  /** Resolves when everything was taken. */
  async end(): Promise<void> {
    while (this.#waiting.length > 0) await this.#advance();
  }

  /** Lets go of what threads hold for this file; also of one that was given up. */
  close(): void {
    this.#tell({ type: 'end', file: this.#file });
  }

  #tell(order: Parameters<typeof tellThreads>[1]): void {
    if (this.#parts.threadCount > 0) tellThreads(this.#parts.threadCount, order);
  }

  #offer(given: GivenStretch): void {
    const { number, byteCount, smallGroupsLeft } = given;
    given.answer = mappedByThread(number).then((mapped) => {
      given.mapped = mapped;
    });
    given.answer.catch(() => undefined);
    const { shared } = given.stretch;
    this.#tell({ type: 'map', file: this.#file, number, shared, byteCount, smallGroupsLeft });
  }

  /** Takes what comes next in the file, once it is mapped; until then it maps what nobody has begun. */
  async #advance(): Promise<void> {
    const first = this.#waiting[0] as GivenStretch;
    if (first.mapped) return this.#take(first, first.mapped);
    const free = this.#waiting.find((given) => given.stretch.take(given.number));
    if (!free) return first.answer;
    forgetAnswer(free.number);
    this.#mapper ??= new StretchMapper(this.#parts.settings);
    free.mapped = this.#mapper.map(free.stretch.room.subarray(0, free.byteCount), free.smallGroupsLeft);
    await othersTurn();
  }

  #take(given: GivenStretch, mapped: MappedStretch): void {
    this.#waiting.shift();
    this.#waitingBytes -= given.byteCount;
    this.#smallGroupsLeft = Math.max(0, this.#smallGroupsLeft - mapped.smallGroupCount);
    this.#parts.take(mapped, given);
  }
}
