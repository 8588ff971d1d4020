/** Files that describe a study of cBioPortal and its data, one `key: value` on each line ("File Formats" of its documentation). */
export type Meta = ReadonlyMap<string, string>;

/** Kind of a meta file by its keys, never by its name. */
export type MetaKind =
  | 'study'
  | 'cancerTypes'
  | 'patients'
  | 'samples'
  | 'timeline'
  | 'mutations'
  | 'levels'
  | 'ratios'
  | 'linear'
  | 'segments'
  | 'fusions'
  | 'expression'
  | 'scores'
  | 'panelMatrix'
  | 'panel'
  | 'caseList';

const keyPattern = /^[A-Za-z][\w .-]*$/;
const keyCharactersMax = 64;

/** Characters of a file by which it is recognised as a meta file. */
export const metaCharactersMax = 16 << 20;

/** Reads a meta file: keys in small letters, values without blanks around them. Undefined for other text. */
export function readMeta(text: string): Meta | undefined {
  const values = new Map<string, string>();
  for (const line of text.replace(/^\ufeff/, '').split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(0, colon)).trim().toLowerCase();
    const isEntry = key.length <= keyCharactersMax && keyPattern.test(key);
    // A description may go on in further lines.
    if (!isEntry && values.size < 2) return undefined;
    if (isEntry && !values.has(key)) values.set(key, line.slice(colon + 1).trim());
  }
  return isMeta(values) ? values : undefined;
}

const isMeta = (values: Meta): boolean =>
  values.has('genetic_alteration_type') ||
  values.has('resource_type') ||
  values.has('case_list_ids') ||
  values.has('gene_list') ||
  (values.has('cancer_study_identifier') && values.has('type_of_cancer'));

const kinds: Readonly<Record<string, MetaKind>> = {
  'CANCER_TYPE/CANCER_TYPE': 'cancerTypes',
  'CLINICAL/PATIENT_ATTRIBUTES': 'patients',
  'CLINICAL/SAMPLE_ATTRIBUTES': 'samples',
  'CLINICAL/TIMELINE': 'timeline',
  'MUTATION_EXTENDED/MAF': 'mutations',
  'COPY_NUMBER_ALTERATION/DISCRETE': 'levels',
  'COPY_NUMBER_ALTERATION/DISCRETE_LONG': 'levels',
  'COPY_NUMBER_ALTERATION/LOG2-VALUE': 'ratios',
  'COPY_NUMBER_ALTERATION/CONTINUOUS': 'linear',
  'COPY_NUMBER_ALTERATION/SEG': 'segments',
  'STRUCTURAL_VARIANT/SV': 'fusions',
  'MRNA_EXPRESSION/CONTINUOUS': 'expression',
  'MRNA_EXPRESSION/Z-SCORE': 'scores',
  'GENE_PANEL_MATRIX/GENE_PANEL_MATRIX': 'panelMatrix',
};

const typeOf = (meta: Meta): string =>
  ['genetic_alteration_type', 'datatype'].map((key) => (meta.get(key) ?? '').toUpperCase()).join('/');

/** Returns the kind of a meta file; undefined for data that have no table. */
export function kindOfMeta(meta: Meta): MetaKind | undefined {
  if (meta.has('case_list_ids')) return 'caseList';
  if (meta.has('gene_list')) return 'panel';
  if (meta.has('genetic_alteration_type')) return kinds[typeOf(meta)];
  return meta.has('resource_type') ? undefined : 'study';
}

/** Returns why data have no table, for the account of an import. */
export function whyLeftOut(meta: Meta): string {
  if (meta.has('resource_type')) return 'links to resources have no table';
  const [type = '', datatype = ''] = typeOf(meta).split('/');
  if (type === 'MUTATION_UNCALLED') return 'mutations that were not called are no variants';
  return `${type || 'data without genetic_alteration_type'}${datatype ? ` of ${datatype}` : ''} has no table`;
}

/** Kinds of alterations that a study examines, as `sample_profile` names them. */
export type ProfileKind = 'mutation' | 'copy_number' | 'fusion' | 'expression';

/** Kinds by the end of the stable id of a case list, or its category. */
const examinedBy: readonly (readonly [mark: RegExp, kinds: readonly ProfileKind[]])[] = [
  [/^(?:sequenced|all_cases_with_mutation_data)$/, ['mutation']],
  [/^(?:cna|acgh|all_cases_with_cna_data)$/, ['copy_number']],
  [/^(?:cnaseq|all_cases_with_mutation_and_cna_data)$/, ['mutation', 'copy_number']],
  [/^(?:sv|all_cases_with_sv_data)$/, ['fusion']],
  [
    /^(?:3way_complete|all_cases_with_mutation_and_cna_and_mrna_data)$/,
    ['mutation', 'copy_number', 'expression'],
  ],
  [/^(?:(?:rna_seq_)?(?:v2_)?mrna|rna_seq_mrna|rna_seq_v2_mrna|all_cases_with_mrna_.*data)$/, ['expression']],
];

/** Returns the kinds for which the samples of a case list were examined: its stable id without the study decides, else its category. */
export function examinedInList(meta: Meta): readonly ProfileKind[] {
  const study = meta.get('cancer_study_identifier') ?? '';
  const id = meta.get('stable_id') ?? '';
  const names = [
    id.startsWith(`${study}_`) ? id.slice(study.length + 1) : id,
    meta.get('case_list_category') ?? '',
  ];
  for (const name of names) {
    const found = examinedBy.find(([mark]) => mark.test(name.toLowerCase()));
    if (found) return found[1];
  }
  return [];
}

/** Returns the ids or genes of a list, each once. */
export const listed = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\t,]|\s+/)
      .map((id) => id.trim())
      .filter((id) => id !== ''),
  ),
];

/** Returns the kind of profiles that a stable id names, in a panel matrix or a meta file. */
export function profileOf(stableId: string, study: string): ProfileKind | undefined {
  const id = (stableId.startsWith(`${study}_`) ? stableId.slice(study.length + 1) : stableId).toLowerCase();
  if (/mutation/.test(id)) return 'mutation';
  if (/structural|fusion|^sv$/.test(id)) return 'fusion';
  if (/cna|gistic|copy/.test(id)) return 'copy_number';
  return /mrna|rna_?seq|expression/.test(id) ? 'expression' : undefined;
}

/** Words of a panel matrix for assays that cover every gene. */
const wholeAssays: ReadonlyMap<string, string | null> = new Map([
  ['WES', 'exome'],
  ['WXS', 'exome'],
  ['WGS', 'genome'],
  ['WHOLE-EXOME', 'exome'],
  ['WHOLE-GENOME', 'genome'],
]);

/** Returns the assay of a word that names no panel. */
export const wholeAssay = (panel: string): string | null | undefined => wholeAssays.get(panel.toUpperCase());
