/** Name that counts for a place, and the part of all places that it may hold. */
export interface Share {
  name: string;
  part: number;
}

/**
 * Places that visitors hold at once, each only a share of all. Beyond its share a visitor may wait in line: one line for each name,
 * and the lines take turns, so that a long one delays only itself.
 */
export class Places {
  readonly #max: number;
  readonly #lineMax: number;
  readonly #heldBy = new Map<string, number>();
  readonly #lines = new Map<string, { shares: readonly Share[]; go: () => void }[]>();
  #held = 0;
  #waiting = 0;

  /** `lineMax`: visitors that may wait in line, a quarter of them by one name. */
  constructor(max: number, lineMax = 0) {
    this.#max = max;
    this.#lineMax = lineMax;
  }

  get held(): number {
    return this.#held;
  }

  /** Takes a place, perhaps later; `all` or `own` if all are taken, or those of this visitor. */
  take(shares: readonly Share[]): Promise<void> | undefined | 'all' | 'own' {
    const name = shares[0]?.name ?? '';
    const line = this.#lines.get(name);
    const lack = this.#lackOf(shares);
    if (lack === undefined && line === undefined) {
      this.hold(shares);
      return undefined;
    }
    if (this.#waiting >= this.#lineMax) return lack ?? 'all';
    if ((line?.length ?? 0) >= Math.ceil(this.#lineMax / 4)) return 'own';
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting += 1;
    if (line) line.push({ shares, go: resolve });
    else this.#lines.set(name, [{ shares, go: resolve }]);
    return promise;
  }

  /** Holds a place in any case. */
  hold(shares: readonly Share[]): void {
    this.#held += 1;
    for (const { name } of shares) this.#heldBy.set(name, (this.#heldBy.get(name) ?? 0) + 1);
  }

  /** Gives a place back; it passes to the next in line. */
  give(shares: readonly Share[]): void {
    this.#held -= 1;
    for (const { name } of shares) {
      const left = (this.#heldBy.get(name) ?? 1) - 1;
      if (left > 0) this.#heldBy.set(name, left);
      else this.#heldBy.delete(name);
    }
    this.#callNext();
  }

  #callNext(): void {
    for (const [name, line] of this.#lines) {
      const [first] = line;
      if (!first || this.#lackOf(first.shares) !== undefined) continue;
      line.shift();
      // The line goes behind the others.
      this.#lines.delete(name);
      if (line.length > 0) this.#lines.set(name, line);
      this.#waiting -= 1;
      this.hold(first.shares);
      first.go();
      return;
    }
  }

  #lackOf(shares: readonly Share[]): 'all' | 'own' | undefined {
    if (this.#held >= this.#max) return 'all';
    const isBeyond = ({ name, part }: Share): boolean =>
      (this.#heldBy.get(name) ?? 0) >= Math.max(1, Math.ceil(this.#max * part));
    return shares.some(isBeyond) ? 'own' : undefined;
  }
}
