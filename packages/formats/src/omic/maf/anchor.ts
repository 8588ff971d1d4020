import { type Header, textAt } from '../../delimited/index.ts';

const base = /^[ACGTN]$/;
/** Insertions have no bases of their own in `ref_context`, so that their place in it is unknown (GATK issue 4599). */
const deletionWidth = 10;

/** Finds the base before an insertion or deletion, which a MAF leaves out and a VCF has. */
export class MafAnchors {
  readonly #region: number;
  readonly #position: number;
  /** Column with the deleted bases and ten bases at both sides (Oncotator, Funcotator). */
  readonly #deletion: number;
  /** Columns with the VCF's reference, and the number of bases before and after it. */
  readonly #contexts: readonly [place: number, width: number][];

  constructor(header: Header) {
    this.#region = header.place('vcf_region');
    this.#position = header.place('vcf_pos');
    this.#deletion = header.place('ref_context');
    this.#contexts = [
      [header.place('flanking_bps'), 1],
      [header.place('CONTEXT'), 5],
    ];
  }

  /**
   * Returns the base at a position, followed by `removed`: from the record of the VCF (GDC: `vcf_region`, like `chr1:99:.:CA:C`), or
   * from the bases around it (vcf2maf: `flanking_bps`, GDC: `CONTEXT`). Undefined if the file has neither, or contradicts.
   */
  find(fields: readonly string[], position: number, removed: string): string | undefined {
    const [, start, , reference] = textAt(fields, this.#region)?.split(':') ?? [];
    const ofRecord = baseAt(reference, position - Number(start), removed);
    if (ofRecord !== undefined) return ofRecord;
    const vcfPosition = Number(textAt(fields, this.#position) ?? position);
    for (const [place, width] of this.#contexts) {
      const found = baseAt(textAt(fields, place), position - vcfPosition + width, removed);
      if (found !== undefined) return found;
    }
    const around = textAt(fields, this.#deletion) ?? '';
    const isDeletion = removed !== '' && around.length === removed.length + 2 * deletionWidth;
    return isDeletion ? baseAt(around, deletionWidth - 1, removed) : undefined;
  }
}

function baseAt(text: string | undefined, index: number, removed: string): string | undefined {
  const bases = text?.toUpperCase() ?? '';
  const found = bases[index];
  const isSame = bases.slice(index + 1, index + 1 + removed.length) === removed;
  return found !== undefined && base.test(found) && isSame ? found : undefined;
}
