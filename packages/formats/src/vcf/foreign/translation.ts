import type { AnnotationLayout, Translation } from '../annotation-layout.ts';
import type { FrequencyField } from '../frequencies.ts';
import type { VcfHeader } from '../header.ts';
import { annovarKeys, annovarValues, translateAnnovar } from './annovar.ts';
import { bcsqPlaces, type FindJoint, translateBcsq } from './bcsq.ts';
import { clinvarKey, translateClinvar } from './clinvar.ts';
import { funcotationPlaces, translateFuncotation } from './funcotation.ts';
import { type ForeignRecord, plainParts, type Translated } from './plain-annotation.ts';

/** Default key of `bcftools csq`; the header names another one (`--custom-tag`). */
const bcsqKey = 'BCSQ';
const funcotationKey = 'FUNCOTATION';

type Layout = Omit<AnnotationLayout, 'isNeverTrimmed'>;

/** Returns the annotations of `bcftools csq`, Funcotator, ANNOVAR and ClinVar that a file has, in this order. */
export function foreignLayouts(header: VcfHeader, firstValues: ReadonlyMap<string, string>): Layout[] {
  const keys = new Set([...header.info.keys(), ...firstValues.keys()]);
  const descriptions = [...header.info.values()];
  const ofCsq = descriptions.find(({ description }) =>
    description.includes('consequence annotation from BCFtools/csq'),
  );
  const bcsq = ofCsq?.id ?? bcsqKey;
  const layouts: Layout[] = [];
  if (keys.has(bcsq)) {
    const places = bcsqPlaces(header.info.get(bcsq)?.description);
    layouts.push({ ...plainLayout(bcsq), translation: { form: 'bcsq', places, valueKeys: [] } });
  }
  const places = funcotationPlaces(header.info.get(funcotationKey)?.description);
  if (places) {
    const valueKeys = places.values.map(([key]) => key);
    const layout = plainLayout(funcotationKey, places.frequencies);
    layouts.push({ ...layout, translation: { form: 'funcotation', places, valueKeys } });
  }
  for (const key of annovarKeys(keys)) {
    const table = key.slice('Gene.'.length);
    const valueKeys = annovarValues.filter((name) => keys.has(name));
    layouts.push({ ...plainLayout(key), translation: { form: 'annovar', table, valueKeys } });
  }
  if (keys.has(clinvarKey))
    layouts.push({ ...plainLayout(clinvarKey), translation: { form: 'clinvar', valueKeys: [] } });
  return layouts;
}

/** Returns the layout of `written`. */
function plainLayout(key: string, frequencies: readonly FrequencyField[] = []): Layout {
  const first = Object.keys(plainParts).length + 1;
  const placed = frequencies.map((field, index) => ({ ...field, place: first + index }));
  return { key, shape: 'fields', alleles: 'alt', parts: plainParts, frequencies: placed };
}

/** Returns whether the annotation of a record may be at another record near it. */
export function looksAround(layouts: readonly AnnotationLayout[]): boolean {
  return layouts.some(({ translation }) => translation?.form === 'bcsq' || translation?.form === 'computed');
}

/** Translates the annotations of a record. */
export function translate(
  translation: Translation,
  value: string,
  record: ForeignRecord,
  findJoint: FindJoint,
): Translated & { unclearCount: number } {
  switch (translation.form) {
    case 'bcsq':
      return translateBcsq(value, record, translation.places, findJoint);
    case 'funcotation':
      return translateFuncotation(value, record, translation.places);
    case 'annovar':
      return translateAnnovar(translation.table, record);
    case 'clinvar':
      return translateClinvar(value, record);
    case 'computed':
      return { annotations: [], unclearCount: 0 };
  }
}
