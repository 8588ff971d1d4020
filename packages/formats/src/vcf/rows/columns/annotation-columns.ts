import { bytesOf, find, textOf } from '../../../bytes.ts';
import type { AnnotationLayout } from '../../annotation-layout.ts';
import { intergenicRegion } from '../../effects.ts';
import { isSpelled, namedChange, spelledChange } from '../../foreign/protein-change.ts';
import type { AnnotationFields } from '../annotations/annotation-fields.ts';
import type { WriteColumn } from './column-writer.ts';
import { added, decoded, decodedText, effectClass } from './texts.ts';

/** Copies a part unchanged. */
export function annotationPart(place: number): WriteColumn {
  return ({ line, chosen }, texts) =>
    chosen ? texts.take(line.bytes, chosen.startAt(place), chosen.endAt(place)) : -1;
}

const betweenGenes = bytesOf(intergenicRegion);

/** Omits a region between genes, which is no transcript, although it has a name there. */
export function transcript(place: number): WriteColumn {
  return ({ line, chosen }, texts) => {
    if (!chosen || chosen.is(line.bytes, chosen.places.effect, betweenGenes)) return -1;
    return texts.take(line.bytes, chosen.startAt(place), chosen.endAt(place));
  };
}

/** Writes the effect by which the annotation is grouped. */
export function effect(shape: AnnotationLayout['shape']): WriteColumn {
  const several = shape === 'classic' ? -1 : 38;
  return ({ line, chosen }, texts) => {
    if (!chosen) return -1;
    const start = chosen.startAt(chosen.places.effect);
    const end = chosen.endAt(chosen.places.effect);
    if (several >= 0 && find(line.bytes, several, start, end) < 0) return texts.take(line.bytes, start, end);
    return added(effectClass(textOf(line.bytes, start, end), shape), texts);
  };
}

/** Removes the protein's name that VEP puts before the change: `ENSP00000349508.3:p.Arg97Gln`. */
export const aminoAcidChange: WriteColumn = ({ line, chosen }, texts) => {
  if (!chosen) return -1;
  const { bytes } = line;
  let start = chosen.startAt(chosen.places.aminoAcidChange);
  let end = chosen.endAt(chosen.places.aminoAcidChange);
  // SnpEff before 4.0 with HGVS puts both changes into the field: `p.Gln10*/c.28C>T`, or `c.28C>T` alone.
  if (chosen.isClassic) {
    if (bytes[start] === 99 && bytes[start + 1] === 46) return -1;
    const slash = find(bytes, 47, start, end);
    if (slash >= 0) end = slash;
  }
  if (end <= start) return added(changeOfLetters(line.bytes, chosen), texts);
  for (let colon = find(bytes, 58, start, end); colon >= 0; colon = find(bytes, 58, start, end))
    start = colon + 1;
  // VEP before 89 appends a synonymous change to that of the transcript: `c.861A>G(p.%3D)`.
  if (bytes[start] === 99 && bytes[start + 1] === 46) {
    const protein = /\((p\.[^()]+)\)$/.exec(textOf(bytes, start, end))?.[1] ?? '';
    return added(spelledChange(decoded(protein)), texts);
  }
  return isSpelled(bytes, start, end)
    ? texts.take(bytes, start, end)
    : added(spelledChange(decoded(textOf(bytes, start, end))), texts);
};

/** VEP writes HGVS when it is asked to; position and amino acids always. `101` and `K/E` → `p.Lys101Glu`, of one residue. */
function changeOfLetters(bytes: Uint8Array, chosen: AnnotationFields): string {
  if (!chosen.has(chosen.places.proteinPosition)) return '';
  const text = (place: number): string => textOf(bytes, chosen.startAt(place), chosen.endAt(place));
  const position = /^(\d+)(?:\/\d+)?$/.exec(text(chosen.places.proteinPosition))?.[1];
  const [, from, to = from] = /^([A-Z*])(?:\/([A-Z*]))?$/.exec(text(chosen.places.aminoAcids)) ?? [];
  if (position === undefined || from === undefined || from === 'X' || to === 'X') return '';
  return namedChange(`p.${from}${position}${to}`) ?? '';
}

/** SnpEff before 4.0 has the change of the transcript behind that of the protein: `p.Gln10His/c.30G>T`. */
export const codingChange: WriteColumn = ({ line, chosen }, texts) => {
  if (!chosen) return -1;
  const { codingChange: coding, aminoAcidChange: protein } = chosen.places;
  if (!chosen.isClassic) return decodedText(line.bytes, chosen.startAt(coding), chosen.endAt(coding), texts);
  const change = textOf(line.bytes, chosen.startAt(protein), chosen.endAt(protein));
  return added(/(?:^|\/)(c\..+)$/s.exec(change)?.[1] ?? '', texts);
};

/** Adds the name of the protein, where VEP puts it before the change. */
export const proteinChange: WriteColumn = (context, texts) => {
  const { line, chosen } = context;
  if (!chosen) return -1;
  const place = chosen.places.aminoAcidChange;
  if (chosen.isClassic) return aminoAcidChange(context, texts);
  return decodedText(line.bytes, chosen.startAt(place), chosen.endAt(place), texts);
};

/** Parts that each make a transcript canonical. */
export const canonicalParts = ['canonical', 'maneSelect', 'manePlusClinical'] as const;
const yes = bytesOf('true');
const no = bytesOf('false');

export const isCanonical: WriteColumn = ({ chosen }, texts) => {
  if (!chosen) return -1;
  const { canonical, maneSelect, manePlusClinical } = chosen.places;
  const isSo = chosen.has(canonical) || chosen.has(maneSelect) || chosen.has(manePlusClinical);
  return isSo ? texts.take(yes, 0, yes.length) : texts.take(no, 0, no.length);
};
