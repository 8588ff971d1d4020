import type { AnnotationLayout } from '../annotations.ts';
import type { VcfHeader } from '../header.ts';
import { annovarKeys, annovarValues, translateAnnovar } from './annovar.ts';
import { type BcsqPlaces, bcsqPlaces, type FindJoint, translateBcsq } from './bcsq.ts';
import { type FuncotationPlaces, funcotationPlaces, translateFuncotation } from './funcotation.ts';
import { type ForeignRecord, plainLayout, type Translated } from './plain-annotation.ts';

/** How annotations are read that are not written as SnpEff and VEP write theirs. Plain data: threads are told. */
export type Translation = (
  | { form: 'bcsq'; places: BcsqPlaces }
  | { form: 'funcotation'; places: FuncotationPlaces }
  | { form: 'annovar'; table: string }
) & {
  /** INFO keys that it gives values of, one for each alternate. */
  valueKeys: readonly string[];
};

/** The key of `bcftools csq`, unless it was told another (`--custom-tag`), which its header says. */
const bcsqKey = 'BCSQ';
const funcotationKey = 'FUNCOTATION';

type Layout = Omit<AnnotationLayout, 'isNeverTrimmed'>;

/** The annotations of `bcftools csq`, Funcotator and ANNOVAR that a file has, in this order. */
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
  return layouts;
}

/** Whether what is said of a record may stand at others around it. */
export function looksAround(layouts: readonly AnnotationLayout[]): boolean {
  return layouts.some(({ translation }) => translation?.form === 'bcsq');
}

/** What the annotations of a record say. */
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
  }
}
