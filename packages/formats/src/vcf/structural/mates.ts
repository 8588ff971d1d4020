import type { Joint } from './alternate.ts';
import { jointKey } from './joint-order.ts';
import type { StructuralRecord } from './structural-record.ts';

/** Bases by which two records of a joint may differ: homology at the ends, and places that are not precise. */
const apartMax = 1000;

/** The records of breakends that wait for their mates. */
export class Mates {
  /** By their ids. */
  readonly #waiting = new Map<string, { mate: string; joint: Joint; key: string }>();

  /** The key that both records of a joint share: of its places, or where these differ, of the record that names this one as its mate. */
  keyOf(record: StructuralRecord, place: number, joint: Joint): string {
    const own = record.id;
    const mates = record.info('MATEID', 'MATE_ID', 'PARID')?.split(',') ?? [];
    const mate = mates[mates.length === record.alternates.length ? place : 0];
    if (own === undefined || mate === undefined) return jointKey(joint);
    const first = this.#waiting.get(mate);
    if (first?.mate === own && isNear(first.joint, joint)) {
      this.#waiting.delete(mate);
      return first.key;
    }
    const key = jointKey(joint);
    this.#waiting.set(own, { mate, joint, key });
    return key;
  }
}

function isNear(one: Joint, other: Joint): boolean {
  return (['left', 'right'] as const).every(
    (end) =>
      one[end].chromosome === other[end].chromosome &&
      one[end].strand === other[end].strand &&
      Math.abs(one[end].position - other[end].position) <= apartMax,
  );
}
