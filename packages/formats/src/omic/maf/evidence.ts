import { type Header, isNumber, textAt } from '../../delimited/index.ts';
import type { Row } from '../../parquet/index.ts';
import type { Doubt, OpenFile } from '../format.ts';

const [tumour, reads] = [
  '(?:i_)?(?:t|tumou?r)?[_.\\s]*',
  '(?:count|reads?|depth|dp|ad|cov(?:erage)?|readcount)s?',
];
const named = (word: string): RegExp => new RegExp(`^${tumour}(?:${word})$`, 'i');

/** Columns of the tumour's reads by how they are called: `t_alt_count`, `Tumor_ReadCount_Alt`, `TVarCov`, `i_t_ref_count`. */
const forms = {
  depth: named(`(?:tot(?:al)?[_.]?)?${reads}|(?:tot(?:al)?)cov|readcount[_.]?total|tumor[_.]?depth`),
  reference_depth: named(`(?:ref(?:erence)?|wt)[_.]?(?:allele[_.]?)?${reads}|refcov|readcount[_.]?ref`),
  alternate_depth: named(
    `(?:alt(?:ernate)?|var(?:iant)?|mut(?:ant)?)[_.]?(?:allele[_.]?)?${reads}|varcov|readcount[_.]?alt`,
  ),
  allele_fraction: named(
    '(?:[vm]?af|f|freq(?:uency)?|(?:allel(?:e|ic)|alt|var(?:iant)?)[_.]?(?:allele[_.]?)?(?:fraction|freq(?:uency)?))',
  ),
} as const;

type Evidence = keyof typeof forms;

/** Names of the specification of the GDC, which count where another column of the same meaning differs. */
const specified = /^t_(?:depth|ref_count|alt_count)$/i;

/** Finds the columns of one meaning, those of the specification first. `AF` alone is the population's of VEP. */
function placesOf({ names }: Header, name: Evidence): number[] {
  return [...names.keys()]
    .filter((place) => {
      const one = names[place] ?? '';
      return forms[name].test(one) && !/^(?:af|f|freq|count|reads?)$/i.test(one);
    })
    .toSorted(
      (left, right) => Number(specified.test(names[right] ?? '')) - Number(specified.test(names[left] ?? '')),
    );
}

/** Returns the value of columns of one meaning: that of the specification, else the one on which all agree. */
function agreedValue(
  name: Evidence,
  places: readonly number[],
  fields: readonly string[],
  hasSpecified: boolean,
): number | undefined {
  const given = places.map((place) => readValue(name, textAt(fields, place)));
  if (hasSpecified && given[0] !== undefined) return given[0];
  const [agreed, ...others] = new Set(given.filter((value) => value !== undefined));
  return others.length === 0 ? agreed : undefined;
}

/** Reads of mutations, with what turned out about them after the last record. */
interface EvidenceReader extends Pick<Required<OpenFile>, 'doubts' | 'remarks'> {
  read(fields: readonly string[]): Row;
}

/** Reads the counts of reads of a mutation in a MAF, as `variant_call` has them of a VCF; undefined without any. */
export function evidenceOf(header: Header): EvidenceReader | undefined {
  const columns = (Object.keys(forms) as Evidence[]).map((name) => {
    const places = placesOf(header, name);
    return { name, places, hasSpecified: specified.test(header.names[places[0] ?? -1] ?? '') };
  });
  const texts = [
    ['filter', header.place('FILTER')],
    ['hgvs_c', header.place('HGVSc')],
    ['hgvs_p', header.place('HGVSp')],
    ['quality', header.place('QUAL', 'vcf_qual')],
  ] as const;
  if (!columns.some(({ places }) => places.length > 0) && !texts.some(([, place]) => place >= 0))
    return undefined;
  let [excessCount, arePercentages] = [0, false];
  const fractions = columns.find(({ name }) => name === 'allele_fraction')?.places ?? [];
  const read = (fields: readonly string[]): Row => {
    const row: Row = {};
    for (const { name, places, hasSpecified } of columns)
      row[name] = agreedValue(name, places, fields, hasSpecified);
    arePercentages ||= fractions.some((place) => Number(textAt(fields, place)) > 1);
    if (Number(row['alternate_depth'] ?? 0) > Number(row['depth'] ?? Number.POSITIVE_INFINITY)) {
      excessCount += 1;
      for (const { name } of columns) row[name] = undefined;
    }
    for (const [name, place] of texts) {
      const text = textAt(fields, place);
      row[name] = name !== 'quality' ? text : text !== undefined && isNumber(text) ? Number(text) : undefined;
    }
    const [reference, alternate] = [row['reference_depth'], row['alternate_depth']];
    if (typeof reference === 'number' && typeof alternate === 'number') {
      row['depth'] ??= reference + alternate;
      row['allele_fraction'] ??= reference + alternate > 0 ? alternate / (reference + alternate) : undefined;
    }
    return row;
  };
  return {
    read,
    remarks: () => (excessCount === 0 ? [] : [exceeding(excessCount)]),
    doubts: () => (arePercentages ? [percentages] : []),
  };
}

const exceeding = (count: number): string =>
  `${count} records have more reads of the alternate than reads: their depths and allele_fraction are NULL in variant_call.`;

const percentages: Doubt = {
  table: 'variant_call',
  columns: ['allele_fraction'],
  message:
    'Some allele fractions are above 1, as percentages are, so that allele_fraction is NULL in variant_call. Divide the column by 100.',
};

/** Judgements of cBioPortal ("Custom driver annotations" of its documentation). */
const judgements: ReadonlyMap<string, string> = new Map([
  ['putative_driver', 'driver'],
  ['putative_passenger', 'passenger'],
]);

/** Reads the judgement of a mutation; undefined without its column. */
export function judgementOf(header: Header): ((fields: readonly string[]) => string | undefined) | undefined {
  const place = header.place('cbp_driver');
  return place < 0 ? undefined : (fields) => judgements.get(textAt(fields, place)?.toLowerCase() ?? '');
}

function readValue(name: Evidence, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const isPercentage = text.endsWith('%');
  const number = isPercentage ? text.slice(0, -1) : text;
  if (!isNumber(number) || Number(number) < 0) return undefined;
  if (name !== 'allele_fraction') return Number.isSafeInteger(Number(number)) ? Number(number) : undefined;
  const share = isPercentage ? Number(`${number}e-2`) : Number(number);
  return share <= 1 ? share : undefined;
}
