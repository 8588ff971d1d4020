import { bytesOf, decimal, find, isDigit, textOf } from '../../../bytes.ts';
import { isWithin } from '../../../tables/domains.ts';
import type { AnnotationLayout } from '../../annotation-layout.ts';
import { clinicalKeys } from '../../clinical.ts';
import { bitsOf } from '../info-values.ts';
import {
  aminoAcidChange,
  annotationPart,
  canonicalParts,
  codingChange,
  effect,
  isCanonical,
  proteinChange,
  transcript,
} from './annotation-columns.ts';
import type { RowColumn, RowContext, WriteColumn } from './column-writer.ts';
import { findCosmic, findNumberId, findRs, findRsId, hasFurtherRs, type Stretch } from './identifiers.ts';
import { added, decoded, decodedText, significance } from './texts.ts';

const ids = 2;
const [quality, filter] = [5, 6];
const percent = 37;
const found: Stretch = { start: 0, end: 0 };

/**
 * Returns the columns of `variant` and `variant_call` that the records of the file can fill, with their writers. `slotOf`: slot
 * of an INFO key that the file has.
 */
export function rowColumns(
  slotOf: (key: string) => number | undefined,
  layout: AnnotationLayout | undefined,
  setId: string,
): [name: string, column: RowColumn][] {
  const slots = (keys: readonly string[]): number[] => keys.map(slotOf).filter((slot) => slot !== undefined);
  const parts = layout?.parts ?? {};
  const oldAlleles = slots(clinicalKeys.oldAlleles);
  const ownAlleleIds = slots(clinicalKeys.alleleId);
  const alleleIds = slots([...clinicalKeys.alleleId, ...clinicalKeys.annotatedAlleleId]);
  const diseases = slots(clinicalKeys.disease);
  const reviews = slots(clinicalKeys.review);
  const significances = slots(clinicalKeys.significance);
  const statuses = slots(clinicalKeys.mutationStatus);
  const histologies = slots(clinicalKeys.histology);
  const sites = slots(clinicalKeys.tumorSite);
  const counts = slots(clinicalKeys.cosmicSampleCount);
  const all: [name: string, write: WriteColumn | false | undefined, needed?: readonly number[]][] = [
    ['variant_id', variantId(setId)],
    ['chromosome', ({ allele }, texts) => texts.take(allele.chromosome, 0, allele.chromosome.length)],
    ['reference', alleleStretch('reference')],
    ['alternate', alleleStretch('alternate')],
    ['rs_id', rsId(slots(clinicalKeys.rsNumber))],
    ['clinvar_allele_id', infoText(alleleIds), alleleIds],
    ['clinical_disease', disease(diseases, oldAlleles), diseases],
    ['clinical_review', infoText(reviews, oldAlleles), reviews],
    [
      'clinical_significance',
      clinicalSignificance(significances, oldAlleles, parts.significance ?? 0),
      parts.significance === undefined ? significances : [],
    ],
    ['clinical_submission', submission(ownAlleleIds), ownAlleleIds],
    ['cosmic_id', cosmicId(slots(clinicalKeys.cosmicId))],
    ['mutation_status', infoText(statuses), statuses],
    ['histology', infoText(histologies), histologies],
    ['tumor_site', infoText(sites), sites],
    ['cosmic_sample_count', sampleCount(counts, slots(clinicalKeys.cosmicId)), counts],
    ['ebcanon_class', parts.effect !== undefined && layout && effect(layout.shape)],
    ['impact', parts.impact !== undefined && annotationPart(parts.impact)],
    ['gene', layout && geneOfAnnotation],
    ['transcript_id', parts.transcript !== undefined && transcript(parts.transcript)],
    ['biotype', parts.biotype !== undefined && annotationPart(parts.biotype)],
    ['amino_acid_change', (parts.aminoAcidChange ?? parts.aminoAcids) !== undefined && aminoAcidChange],
    ['filter', filters],
    ['quality', recordQuality],
    ['hgvs_c', (parts.codingChange ?? parts.aminoAcidChange) !== undefined && codingChange],
    ['hgvs_p', parts.aminoAcidChange !== undefined && proteinChange],
    ['is_canonical', canonicalParts.some((part) => parts[part] !== undefined) && isCanonical],
  ];
  return all.flatMap(([name, write, needed = []]) =>
    write ? [[name, { write, needs: bitsOf(needed) }]] : [],
  );
}

const filters: WriteColumn = ({ line }, texts) =>
  line.is(filter, '.') ? -1 : texts.take(line.bytes, line.startOf(filter), line.endOf(filter));

const recordQuality: WriteColumn = ({ line }, texts) => {
  const [start, end] = [line.startOf(quality), line.endOf(quality)];
  return isWithin('quality', decimal(line.bytes, start, end)) ? texts.take(line.bytes, start, end) : -1;
};

/** Writes `<set>:<hash>:<gene>`. */
function variantId(setId: string): WriteColumn {
  const prefix = bytesOf(`${setId}:`);
  return ({ allele, line, gene }, texts) => {
    const target = texts.begin();
    target.slice(prefix, 0, prefix.length);
    target.slice(allele.hash.bytes, 0, allele.hash.length);
    target.byte(58);
    target.slice(line.bytes, gene.start, gene.end);
    return texts.end();
  };
}

function alleleStretch(name: 'reference' | 'alternate'): WriteColumn {
  return ({ allele }, texts) => texts.take(allele.bytes, allele[name].start, allele[name].end);
}

const geneOfAnnotation: WriteColumn = ({ line, gene }, texts) =>
  decodedText(line.bytes, gene.start, gene.end, texts);

/** Returns the slot of the first key that the record has; -1 without one. */
function firstSlot({ line, values }: RowContext, slots: readonly number[]): number {
  for (const slot of slots) if (values.has(slot, line.bytes)) return slot;
  return -1;
}

function infoText(slots: number[], oldAlleles: number[] = []): WriteColumn | undefined {
  if (slots.length === 0) return undefined;
  return (context, texts) => {
    const slot = firstSlot(context, slots);
    if (slot < 0 || !takeOwn(context, slot, oldAlleles)) return -1;
    return decodedText(context.line.bytes, found.start, found.end, texts);
  };
}

/**
 * Puts the range of a value into `found`; of several that ClinVar until 2017 separated by commas, that of the alternate. False
 * without a value for the alternate.
 */
function takeOwn(context: RowContext, slot: number, oldAlleles: number[]): boolean {
  const { line, values, alternate } = context;
  const { bytes } = line;
  found.start = values.starts[slot] as number;
  found.end = values.ends[slot] as number;
  const alleles = firstSlot(context, oldAlleles);
  if (alleles < 0) return true;
  const of = textOf(bytes, values.starts[alleles] as number, values.ends[alleles] as number).split(',');
  const place = of.indexOf(String(alternate));
  if (place < 0) return false;
  const ends = [found.start - 1];
  for (let at = found.start; at < found.end; at += 1) if (bytes[at] === 44) ends.push(at);
  ends.push(found.end);
  if (ends.length - 1 !== of.length) return true;
  found.start = (ends[place] as number) + 1;
  found.end = ends[place + 1] as number;
  return found.end > found.start && (found.end - found.start > 1 || bytes[found.start] !== 46);
}

/** Writes blanks for ClinVar's `_`. */
function disease(slots: number[], oldAlleles: number[]): WriteColumn | undefined {
  if (slots.length === 0) return undefined;
  return (context, texts) => {
    const slot = firstSlot(context, slots);
    if (slot < 0 || !takeOwn(context, slot, oldAlleles)) return -1;
    const { bytes } = context.line;
    const target = texts.begin();
    const { length } = target;
    if (find(bytes, percent, found.start, found.end) < 0) target.slice(bytes, found.start, found.end);
    else target.text(decoded(textOf(bytes, found.start, found.end)));
    for (let at = length; at < target.length; at += 1) if (target.bytes[at] === 95) target.bytes[at] = 32;
    return texts.end();
  };
}

function rsId(slots: number[]): WriteColumn {
  return (context, texts) => {
    const { line, values, chosen } = context;
    const { bytes } = line;
    // Several numbers at several alternates cannot be assigned.
    const isOne = line.alternateCount === 1;
    const hasIds = findRsId(bytes, line.startOf(ids), line.endOf(ids), found);
    if (hasIds && (isOne || !hasFurtherRs(bytes, found.end, line.endOf(ids))))
      return texts.take(bytes, found.start, found.end);
    let isUnclear = hasIds;
    for (const slot of slots) {
      const start = values.starts[slot] as number;
      const stop = values.ends[slot] as number;
      let end = start;
      while (start >= 0 && isDigit(bytes[end]) && end < stop) end += 1;
      if (end <= start) continue;
      isUnclear ||= !isOne && end < stop;
      if (!isOne && end < stop) continue;
      const target = texts.begin();
      target.text('rs');
      target.slice(bytes, start, end);
      return texts.end();
    }
    const isKnown =
      chosen &&
      findRs(
        bytes,
        chosen.startAt(chosen.places.existingVariation),
        chosen.endAt(chosen.places.existingVariation),
        found,
      );
    context.isUnclear ||= isUnclear && !isKnown;
    return isKnown ? texts.take(bytes, found.start, found.end) : -1;
  };
}

function cosmicId(slots: number[]): WriteColumn {
  return (context, texts) =>
    hasCosmic(context, slots) ? texts.take(context.line.bytes, found.start, found.end) : -1;
}

function hasCosmic({ line, values, chosen }: RowContext, slots: number[]): boolean {
  const { bytes } = line;
  if (findCosmic(bytes, line.startOf(ids), line.endOf(ids), found)) return true;
  if (
    chosen &&
    findCosmic(
      bytes,
      chosen.startAt(chosen.places.existingVariation),
      chosen.endAt(chosen.places.existingVariation),
      found,
    )
  )
    return true;
  for (const slot of slots) {
    if (!values.has(slot, bytes)) continue;
    if (findCosmic(bytes, values.starts[slot] as number, values.ends[slot] as number, found)) return true;
  }
  return false;
}

/** Requires an id of COSMIC beside the count: in other files than COSMIC's such keys count other things. */
function sampleCount(slots: number[], cosmicSlots: number[]): WriteColumn | undefined {
  if (slots.length === 0) return undefined;
  return (context, texts) => {
    const slot = firstSlot(context, slots);
    if (slot < 0 || !hasCosmic(context, cosmicSlots)) return -1;
    const count = textOf(
      context.line.bytes,
      context.values.starts[slot] as number,
      context.values.ends[slot] as number,
    );
    return /^[0-9]{1,15}$/.test(count) ? added(count, texts) : -1;
  };
}

/** Reads the VariationID from the id of a record in ClinVar's own VCF: it applies to all alternates. */
function submission(alleleIdSlots: number[]): WriteColumn | undefined {
  if (alleleIdSlots.length === 0) return undefined;
  return (context, texts) => {
    const { bytes } = context.line;
    if (!alleleIdSlots.some((slot) => context.values.hasOfAny(slot, bytes))) return -1;
    const isThere = findNumberId(bytes, context.line.startOf(ids), context.line.endOf(ids), found);
    return isThere ? texts.take(bytes, found.start, found.end) : -1;
  };
}

function clinicalSignificance(slots: number[], oldAlleles: number[], place: number): WriteColumn | undefined {
  if (slots.length === 0 && place === 0) return undefined;
  const annotated = annotationPart(place);
  return (context, texts) => {
    const slot = firstSlot(context, slots);
    if (slot < 0) return annotated(context, texts);
    const { bytes, alternateCount } = context.line;
    if (!takeOwn(context, slot, oldAlleles)) return -1;
    const { start, end } = found;
    if (!isDigit(bytes[start])) return decodedText(bytes, start, end, texts);
    return added(significance(textOf(bytes, start, end), context.alternate, alternateCount), texts);
  };
}
