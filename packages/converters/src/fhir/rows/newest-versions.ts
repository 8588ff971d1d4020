import { ByteWriter } from '@ploidy/formats';
import { CellReader } from './cells.ts';
import { compareKeys } from './row-cursor.ts';
import type { KeyedRow } from './row-file.ts';

/** Criteria between versions of a resource, by priority. */
interface Standing {
  isDecisive: boolean;
  /** '' when absent. */
  lastUpdated: string;
  /** Higher for later ones, or for earlier ones where these are newer. */
  rank: number;
}

/**
 * Passes on the newest version of each resource, from rows of `_resource` by type and id. The newest `meta.lastUpdated` wins,
 * then the later one. A removal without a time removes earlier rows only.
 */
export class NewestVersions {
  readonly #take: (row: KeyedRow) => void;
  /** Slice and number of each older version. */
  readonly refused: number[] = [];
  /** Bytes of the newest version so far. */
  readonly #held = new ByteWriter(1 << 10);
  #best: KeyedRow | undefined;
  #standing: Standing | undefined;
  /** Rank of the newest removal without a time. */
  #removedAt = Number.NEGATIVE_INFINITY;

  constructor(take: (row: KeyedRow) => void) {
    this.#take = take;
  }

  add(row: KeyedRow): void {
    const best = this.#best;
    if (!best || compareKeys(best, row) !== 0) {
      this.end();
      this.#keep(row);
      return;
    }
    const standing = standingOf(row);
    this.#standing ??= this.#noted(standingOf(best));
    this.#noted(standing);
    const loses = isNewer(standing, this.#standing, this.#removedAt);
    const { slice, number } = loses ? best : row;
    this.refused.push(slice, number);
    if (loses) this.#keep(row);
  }

  end(): void {
    if (this.#best) this.#take(this.#best);
    this.#best = undefined;
    this.#removedAt = Number.NEGATIVE_INFINITY;
  }

  #noted(standing: Standing): Standing {
    if (standing.isDecisive) this.#removedAt = Math.max(this.#removedAt, standing.rank);
    return standing;
  }

  /** Copies the row, whose bytes are valid only until the next one. */
  #keep({ buffer, keyStart, start, end, slice, number, count }: KeyedRow): void {
    const held = this.#held;
    held.length = 0;
    held.slice(buffer, keyStart, end);
    const place = { keyStart: 0, start: start - keyStart, end: held.length };
    this.#best = { ...place, buffer: held.bytes, slice, number, count };
    this.#standing = undefined;
  }
}

const cells = new CellReader();
/** Upper bound of the resources in a slice. */
const sliceRank = 2 ** 24;

function standingOf({ buffer, start, slice, number }: KeyedRow): Standing {
  cells.from(buffer, start);
  // Type, id, patient; time of update, whether it was deleted, whether that is decisive, whether earlier is newer.
  for (let cell = 0; cell < 4; cell += 1) cells.next();
  const lastUpdated = cells.ascii();
  cells.next();
  cells.next();
  const isDecisive = !cells.isNull;
  cells.next();
  const place = slice * sliceRank + number;
  return { isDecisive, lastUpdated, rank: cells.isNull ? place : -place };
}

function isNewer(one: Standing, other: Standing, removedAt: number): boolean {
  const [isLeft, isOtherLeft] = [one.rank >= removedAt, other.rank >= removedAt];
  if (isLeft !== isOtherLeft) return isLeft;
  // A row after a removal is newer, also without a time.
  if (one.isDecisive || other.isDecisive) return one.rank > other.rank;
  if (one.lastUpdated !== other.lastUpdated) return one.lastUpdated > other.lastUpdated;
  return one.rank > other.rank;
}
