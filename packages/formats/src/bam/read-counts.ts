import { type BamRecord, recordFlags } from './record.ts';

/** How many reads and bases there are. */
export interface ReadCounts {
  aligned: number;
  unaligned: number;
  bases: number;
}

/** Counts of one read group. */
export interface GroupCounts extends ReadCounts {
  /** Reads that come in pairs. */
  paired: number;
}

const decoder = new TextDecoder();

/** Counts reads by their read group (`RG`). Without names there is one group, which all reads are in. */
export class GroupCounter {
  readonly #indexOf: Map<string, number>;
  readonly #names: Uint8Array[];
  /** The group of the read before: neighbours are often of the same. */
  #last = 0;
  /** In the order of the names. */
  readonly groups: GroupCounts[];
  /** Reads that name no group, or one that the header does not. */
  readonly ungrouped: GroupCounts = { aligned: 0, unaligned: 0, bases: 0, paired: 0 };

  constructor(names: readonly string[]) {
    const encoder = new TextEncoder();
    this.#names = names.map((name) => encoder.encode(name));
    this.#indexOf = new Map(names.map((name, index) => [name, index]));
    const count = Math.max(1, names.length);
    this.groups = Array.from({ length: count }, () => ({ aligned: 0, unaligned: 0, bases: 0, paired: 0 }));
  }

  add(record: BamRecord, bytes: Uint8Array, view: DataView): void {
    const counts = this.#groupOf(record, bytes, view);
    if ((record.flags & recordFlags.unmapped) === 0) counts.aligned += 1;
    else counts.unaligned += 1;
    if ((record.flags & recordFlags.paired) !== 0) counts.paired += 1;
    counts.bases += record.baseCount;
  }

  /** Of all groups together. */
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
      const index = this.#indexOf.get(decoder.decode(bytes.subarray(start, end)));
      if (index === undefined) return this.ungrouped;
      this.#last = index;
    }
    return this.groups[this.#last] as GroupCounts;
  }
}

function isSame(name: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start !== name.length) return false;
  for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[start + at]) return false;
  return true;
}
