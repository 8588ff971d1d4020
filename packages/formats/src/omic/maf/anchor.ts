import { type Header, textAt } from '../../delimited/index.ts';

const base = /^[ACGTN]$/;

/** Finds the base before an insertion or deletion, which a MAF leaves out and a VCF has. */
export class MafAnchors {
  readonly #region: number;
  readonly #position: number;
  /** Columns with the VCF's reference and so many bases before and after it. */
  readonly #contexts: readonly [place: number, width: number][];

  constructor(header: Header) {
    this.#region = header.place('vcf_region');
    this.#position = header.place('vcf_pos');
    this.#contexts = [
      [header.place('flanking_bps'), 1],
      [header.place('CONTEXT'), 5],
    ];
  }

  /**
   * The base at a position, and then `removed`: from the record of the VCF (GDC: `vcf_region`, like `chr1:99:.:CA:C`), or from the bases around
   * it (vcf2maf: `flanking_bps`, GDC: `CONTEXT`). Undefined when the file does not tell, or tells something else.
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
    return undefined;
  }
}

function baseAt(text: string | undefined, index: number, removed: string): string | undefined {
  const bases = text?.toUpperCase() ?? '';
  const found = bases[index];
  const isSame = bases.slice(index + 1, index + 1 + removed.length) === removed;
  return found !== undefined && base.test(found) && isSame ? found : undefined;
}
