/** A name with the number of records that it stands for, and the line of the first of them. */
export interface Counted {
  name: string;
  count: number;
  line?: number;
}

/** Account of a source: each record gave rows or is left out; each column, key or element is read, kept or unread. */
export interface Account {
  /** Records of the source, with those that are left out. */
  records: number;
  /** Columns, keys and elements whose values fill columns of tables. */
  read: Counted[];
  /** Names whose values are kept as JSON. */
  kept: Counted[];
  /** Names whose values are in no table. */
  unread: Counted[];
  /** Records without rows, by reason. */
  leftOut: Counted[];
}

const listings = ['read', 'kept', 'unread'] as const;
export type Listing = (typeof listings)[number];

/** Entries of a list that are shown; the last one stands for all others. */
const entriesMax = 100;

/** Counts the records and names of one source. Every converter hands them over here. */
export class AccountBook {
  #withRows = 0;
  readonly #lists: Record<Listing, Map<string, Counted>> = {
    read: new Map(),
    kept: new Map(),
    unread: new Map(),
  };
  readonly #leftOut = new Map<string, Counted>();

  /** Counts records that gave rows. */
  gave(count = 1): void {
    this.#withRows += count;
  }

  /** Counts records without rows. */
  leave(reason: string, count = 1, line?: number): void {
    if (count > 0) addCounted(this.#leftOut, reason, count, line);
  }

  /** Lists a column, a key or an element. A name that is read somewhere is read. */
  name(listing: Listing, name: string, count = 1, line?: number): void {
    addCounted(this.#lists[listing], name, count, line);
  }

  has(listing: Listing, name: string): boolean {
    return this.#lists[listing].has(name);
  }

  /** Throws unless all records of the source either gave rows or are left out for a reason. */
  account(records: number): Account {
    const left = [...this.#leftOut.values()].reduce((sum, { count }) => sum + count, 0);
    if (left + this.#withRows !== records)
      throw new Error(`${records} records, ${this.#withRows} with rows, ${left} left out`);
    const { read, kept, unread } = this.#lists;
    for (const name of read.keys()) for (const other of [kept, unread]) other.delete(name);
    for (const name of kept.keys()) unread.delete(name);
    return {
      records,
      read: shown(read),
      kept: shown(kept),
      unread: shown(unread),
      leftOut: shown(this.#leftOut),
    };
  }
}

/** Accounts for a source all of whose records are kept, with its columns. */
export function wholeAccount(records: number, columns: readonly { name: string }[] = []): Account {
  const book = new AccountBook();
  book.gave(records);
  for (const { name } of columns) book.name('read', name, records);
  return book.account(records);
}

/** Adds to a count by name; the first line stays. */
export function addCounted(
  counts: Map<string, Counted>,
  name: string,
  count: number,
  line: number | undefined,
): void {
  const known = counts.get(name);
  if (known) known.count += count;
  else counts.set(name, { name, count, ...(line !== undefined && { line }) });
}

/** Sorts counts, the most frequent first. */
function shown(counts: ReadonlyMap<string, Counted>): Counted[] {
  const all = [...counts.values()].toSorted((left, right) => right.count - left.count);
  if (all.length <= entriesMax) return all;
  const others = all.slice(entriesMax);
  const count = others.reduce((sum, one) => sum + one.count, 0);
  return [...all.slice(0, entriesMax), { name: `${others.length} others`, count }];
}
