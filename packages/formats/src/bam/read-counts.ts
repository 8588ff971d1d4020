import { type BamRecord, recordFlags } from './record.ts';

/** Numbers of reads and bases. */
export interface ReadCounts {
  aligned: number;
  unaligned: number;
  bases: number;
}

/** Counts of one read group. */
export interface GroupCounts extends ReadCounts {
  /** Paired reads. */
  paired: number;
}

/** Counts reads by their read group (`RG`). Without names, one group has all reads. */
export class GroupCounter {
  readonly #names: Uint8Array[];
  /** Groups by the hash of their names. */
  readonly #byHash = new Map<number, number[]>();
  /** Group of the previous read: neighbours often have the same one. */
  #last = 0;
  /** Groups in the order of the names. */
  readonly groups: GroupCounts[];
  /** Reads that name no group, or an undeclared one. */
  readonly ungrouped: GroupCounts = { aligned: 0, unaligned: 0, bases: 0, paired: 0 };

  constructor(names: readonly string[]) {
    const encoder = new TextEncoder();
    this.#names = names.map((name) => encoder.encode(name));
    for (const [index, name] of this.#names.entries()) {
      const hash = hashOf(name, 0, name.length);
      this.#byHash.set(hash, [...(this.#byHash.get(hash) ?? []), index]);
    }
    const count = Math.max(1, names.length);
    this.groups = Array.from({ length: count }, () => ({ aligned: 0, unaligned: 0, bases: 0, paired: 0 }));
  }

  add(record: BamRecord, bytes: Uint8Array, view: DataView): void {
    addTo(this.#groupOf(record, bytes, view), record);
  }

  /** Counts a read whose group is known by its number; −1: none. */
  addNumbered(group: number, record: Pick<BamRecord, 'flags' | 'baseCount'>): void {
    addTo(this.groups[this.#names.length === 0 ? 0 : group] ?? this.ungrouped, record);
  }

  /** Sums the counts of all groups. */
  total(): ReadCounts {
    const total = { aligned: 0, unaligned: 0, bases: 0 };
    for (const { aligned, unaligned, bases } of [...this.groups, this.ungrouped]) {
      total.aligned += aligned;
      total.unaligned += unaligned;
      total.bases += bases;
    }
    return total;
  }

  #groupOf(record: BamRecord, bytes: Uint8Array, view: DataView): GroupCounts {
    if (this.#names.length === 0) return this.groups[0] as GroupCounts;
    const { start, end } = record.findText(bytes, view, 'RG');
    if (!isSame(this.#names[this.#last] as Uint8Array, bytes, start, end)) {
      const index = this.#find(bytes, start, end);
      if (index < 0) return this.ungrouped;
      this.#last = index;
    }
    return this.groups[this.#last] as GroupCounts;
  }

  /** Returns the group of a name, −1 without one. A loop: `find` would create a function for each of many million reads. */
  #find(bytes: Uint8Array, start: number, end: number): number {
    const alike = this.#byHash.get(hashOf(bytes, start, end));
    if (alike === undefined) return -1;
    for (const index of alike) if (isSame(this.#names[index] as Uint8Array, bytes, start, end)) return index;
    return -1;
  }
}

function addTo(counts: GroupCounts, { flags, baseCount }: Pick<BamRecord, 'flags' | 'baseCount'>): void {
  if ((flags & recordFlags.unmapped) === 0) counts.aligned += 1;
  else counts.unaligned += 1;
  if ((flags & recordFlags.paired) !== 0) counts.paired += 1;
  counts.bases += baseCount;
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== name.length) return false;
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}

/** FNV-1a: the names of millions of reads are looked up without creating strings. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash;
}
