/** Kind of the values of a column, by which they are shown. */
type Kind = 'text' | 'number' | 'share' | 'flag' | 'day' | 'moment' | 'state' | 'code' | 'term' | 'class';

/** Words for a column of a table, a facet or an axis of a chart. */
interface Word {
  heading: string;
  kind?: Kind;
  unit?: string;
  /** Sentence that explains the values. */
  help?: string;
}

const number = (heading: string, more: Omit<Word, 'heading' | 'kind'> = {}): Word => ({
  heading,
  kind: 'number',
  ...more,
});
const day = (heading: string): Word => ({ heading, kind: 'day' });
const moment = (heading: string): Word => ({ heading, kind: 'moment' });
const flag = (heading: string): Word => ({ heading, kind: 'flag' });
const state = (heading: string): Word => ({ heading, kind: 'state' });
const share = (heading: string, help: string): Word => ({ heading, kind: 'share', help });
const text = (heading: string, help?: string): Word => ({ heading, ...(help && { help }) });
const term = (heading: string, help: string): Word => ({ heading, kind: 'term', help });

/** Words of columns whose name alone does not read well, or whose values are no text. */
const known: Readonly<Record<string, Word>> = {
  patient_id: text('Subject'),
  sample_id: text('Sample'),
  gender: text('Sex', 'Administrative sex of the record.'),
  age: number('Age', { unit: 'years', help: 'Age today, or at death.' }),
  birth_date: day('Born'),
  is_deceased: flag('Deceased'),
  deceased_date: day('Died'),
  display: text('Name'),
  clinical_status: state('Status'),
  verification_status: state('Certainty'),
  onset_date: day('Began'),
  abatement_date: day('Ended'),
  start_date: moment('Began'),
  end_date: moment('Ended'),
  authored_date: day('Prescribed'),
  performed_date: moment('Performed'),
  performed_end_date: moment('Ended'),
  occurrence_date: day('Given'),
  created_date: moment('Created'),
  effective_date: moment('Measured'),
  stage: { heading: 'Stage', kind: 'code' },
  class_display: text('Kind of visit'),
  type_display: text('Reason'),
  content_type: text('Type of file'),
  file_id: text('File'),
  value_quantity: number('Value'),
  value_unit: text('Unit'),
  reference_low: number('Reference from'),
  reference_high: number('Reference to'),
  gene: text('Gene'),
  gene1: text('Gene 1'),
  gene2: text('Gene 2'),
  gene_name: text('Gene'),
  amino_acid_change: text('Protein change', 'Change of the protein as HGVS writes it.'),
  protein_change: text('Protein change', 'Change of the protein as HGVS writes it.'),
  ebcanon_class: term('Consequence', 'Effect on the gene, as Sequence Ontology names it.'),
  ebcanon_group: text('Group of consequence'),
  clinical_significance: term('Significance', 'Clinical significance in ClinVar.'),
  clinical_disease: text('Disease (ClinVar)'),
  clinical_review: text('Review (ClinVar)'),
  population_allele_frequency: share('Population frequency', 'Share of alleles in the whole population.'),
  minimum_allele_frequency: share('Lowest frequency', 'Lowest share of alleles in any population.'),
  maximum_allele_frequency: share('Highest frequency', 'Highest share of alleles in any population.'),
  allele_fraction: share('VAF', 'Share of the reads that show the variant.'),
  genotype: text('Genotype', 'Alleles that were called: 0 is the reference.'),
  chromosome: text('Chromosome'),
  position: { heading: 'Position', kind: 'code', help: 'First reference base, counted from 1.' },
  start_position: { heading: 'From', kind: 'code' },
  end_position: { heading: 'To', kind: 'code' },
  reference: text('Reference'),
  alternate: text('Alternate'),
  rs_id: text('dbSNP'),
  clinvar_allele_id: text('ClinVar allele'),
  cosmic_id: text('COSMIC'),
  is_canonical: flag('Canonical transcript'),
  in_frame: flag('In frame'),
  copy_number: number('Copies'),
  expression: number('Expression'),
  expression_unit: text('Unit'),
  of_profiled: share('Of profiled', 'Share of the subjects that are profiled for the gene.'),
  log2_odds_ratio: text('log2 odds ratio', 'Above 0: altered together more often than by chance.'),
  p: text('p', 'Probability of such counts, or of less probable ones, by chance alone.'),
  q: text('q', 'p corrected for the number of tests.'),
  class: { heading: 'Class', kind: 'class', help: 'Kind of change of the protein.' },
  consequence: term('Consequence', 'Effect on the gene, as Sequence Ontology names it.'),
  patientCount: number('Subjects'),
  variantCount: number('Variants'),
  created: moment('Created'),
  state: state('State'),
  kind: text('Kind'),
  mutation_status: state('Somatic or germline'),
};

/** Units behind the names of columns of unknown tables. */
const endings: readonly [RegExp, Kind][] = [
  [/_date$/, 'day'],
  [/^is_|^has_/, 'flag'],
  [/_(?:fraction|frequency)$/, 'share'],
];

/** Names of attributes of a study for which a column alone is too short. */
const attributeNames: Readonly<Record<string, string>> = {
  'condition.code': 'Diagnosis',
  'condition.stage': 'Stage',
  'condition.body_site_code': 'Site of the condition',
  'medication.code': 'Medication',
  'medication.reason_code': 'Reason of the medication',
  'procedure.code': 'Procedure',
  'observation.code': 'Observation',
  'specimen.type_code': 'Specimen',
  'encounter.class_code': 'Kind of visit',
  'patient.gender': 'Sex',
  'sample.test_type': 'Test',
};

/** Names of attributes that many studies define by an id alone. */
const studyNames: Readonly<Record<string, string>> = {
  SEX: 'Sex',
  GENDER: 'Sex',
  AGE: 'Age',
  RACE: 'Race',
  ETHNICITY: 'Ethnicity',
  OS_STATUS: 'Overall survival status',
  OS_MONTHS: 'Overall survival (months)',
  DFS_STATUS: 'Disease-free status',
  DFS_MONTHS: 'Disease-free survival (months)',
  PFS_STATUS: 'Progression-free status',
  PFS_MONTHS: 'Progression-free survival (months)',
  DSS_STATUS: 'Disease-specific survival status',
  DSS_MONTHS: 'Disease-specific survival (months)',
};

/** Returns the name of an attribute of a study for people. Names that are ids are written as phrases. */
export function attributeName({ id, name }: { id: string; name: string }): string {
  if (Object.hasOwn(attributeNames, id)) return attributeNames[id] ?? name;
  if (name !== id && name !== '') return name;
  if (Object.hasOwn(studyNames, id)) return studyNames[id] ?? name;
  return id.includes('_') ? phraseOf(id) : id;
}

/** Writes an id such as `TUMOR_SITE_CODE` as a phrase; words of up to three letters may be abbreviations and stay. */
function phraseOf(id: string): string {
  const words = id.split('_').filter(Boolean);
  return capital(words.map((word) => (word.length > 3 ? word.toLowerCase() : word)).join(' '));
}

/** Returns a text that begins with a capital. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Returns a text that is written in capitals as a sentence. */
export const sentenceOf = (text: string): string =>
  capital(text === text.toUpperCase() ? text.toLowerCase().replaceAll('_', ' ') : text);

/** Words of classes of alterations that are not the class itself. */
const classNames: Readonly<Record<string, string>> = {
  inframe: 'In-frame',
  splice: 'Splice site',
  loss: 'Shallow loss',
  deletion: 'Deep deletion',
};

/** Returns a class of alterations in words. */
export const classText = (name: string): string =>
  Object.hasOwn(classNames, name) ? (classNames[name] ?? name) : capital(name);

/** Returns the words for a column; an unknown name is written as a phrase. */
export function wordOf(name: string): Word {
  const own = Object.hasOwn(known, name) ? known[name] : undefined;
  if (own) return own;
  const phrase = name.replace(/^is_/, '').replaceAll('_', ' ').trim();
  const heading = phrase === '' ? name : capital(phrase);
  const kind = endings.find(([pattern]) => pattern.test(name))?.[1];
  return { heading, ...(kind && { kind }) };
}

/** Display of codes that a record may give without words (clinical stages of SNOMED CT). */
const displays: Readonly<Record<string, string>> = {
  '13104003': 'Stage I',
  '60333009': 'Stage II',
  '50283003': 'Stage III',
  '2640006': 'Stage IV',
};

/** Formats a value of a column for people in a locale, by default the browser's; empty where it is missing. */
export function shownValue(name: string, value: unknown, locale?: string): string {
  if (value === null || value === undefined || value === '') return '';
  const { kind = 'text' } = wordOf(name);
  if (typeof value === 'boolean' || (kind === 'flag' && /^(?:true|false)$/.test(String(value))))
    return String(value) === 'true' ? 'Yes' : 'No';
  if (kind === 'term') return capital(String(value).replaceAll('_', ' '));
  if (kind === 'class') return String(value).split(', ').map(classText).join(', ');
  if (kind === 'code') return displays[String(value)] ?? String(value);
  if (kind === 'day' || kind === 'moment') return shownTime(String(value), locale);
  if (typeof value !== 'number') return typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (kind === 'share') return shownShare(value, locale);
  return kind === 'number' ? value.toLocaleString(locale, { maximumSignificantDigits: 6 }) : String(value);
}

/** Formats a share as per cent: one decimal below 3 per cent, significant digits below 0.1. */
export function shownShare(share: number, locale?: string): string {
  const digits =
    share !== 0 && share < 0.001
      ? { maximumSignificantDigits: 2 }
      : { maximumFractionDigits: share < 0.03 ? 1 : 0 };
  return share.toLocaleString(locale, { style: 'percent', ...digits });
}

/** Formats a day as it is, or a moment with its zone; other texts stay. */
function shownTime(text: string, locale?: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text))
    return new Date(`${text}T00:00:00Z`).toLocaleDateString(locale, { timeZone: 'UTC' });
  if (!/^\d{4}-\d\d-\d\dT/.test(text)) return text;
  return new Date(text).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'long' });
}

/** P-value below which numbers of 64 bits lose digits. */
const shownMin = 1e-300;

/** Writes a p-value: three digits, or a bound. */
export function shownP(p: number): string {
  if (p < shownMin) return `< ${shownMin}`;
  return p < 0.001 ? p.toExponential(2) : p.toPrecision(3);
}

/** Writes a p-value in a sentence: `p = 0.0123`, or `p < 1e-300`. */
export const statedP = (p: number): string => `p ${p < shownMin ? '' : '= '}${shownP(p)}`;
