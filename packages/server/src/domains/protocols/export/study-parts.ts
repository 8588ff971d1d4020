import { literal } from '@ploidy/engine';
import { caseListAttribute } from '@ploidy/formats/tables';
import type { NewPart } from './exports.ts';
import { inCohort } from './fhir-parts.ts';
import type { ExportedAttribute, StudyChoice } from './study-choice.ts';
import { cell, fileOf, lineOf, studySamples } from './study-lines.ts';
import { copyNumberLines, expressionLines, fusionLines, mutationLines, segmentLines } from './study-omic.ts';

/** Attributes that portals compute and refuse in files, and case lists, which have files of their own. */
const computed = new Set(['MUTATION_COUNT', 'FRACTION_GENOME_ALTERED', caseListAttribute]);

/** Returns the files of a study folder of cBioPortal ("File Formats" of its documentation). */
export function studyParts(choice: StudyChoice): NewPart[] {
  const { id, tables, genomeBuild, cohort } = choice;
  const parts: NewPart[] = [];
  const add = (name: string, query: string): void => {
    parts.push({ type: 'study', name, format: 'text', query });
  };
  /** Adds a data file with its meta file. */
  const data = (name: string, kind: string, keys: Readonly<Record<string, string>>, query: string): void => {
    const [type = '', datatype = ''] = kind.split('/');
    const all = {
      cancer_study_identifier: id,
      genetic_alteration_type: type,
      datatype,
      ...keys,
      data_filename: `data_${name}.txt`,
    };
    add(`meta_${name}.txt`, fileOf(Object.entries(all).map(([key, value]) => `${key}: ${value}`)));
    add(`data_${name}.txt`, query);
  };
  const profile = (stableId: string, name: string) => ({
    stable_id: stableId,
    show_profile_in_analysis_tab: stableId.includes('z') ? 'false' : 'true',
    profile_name: name,
    profile_description: name,
  });
  const portalBuild = genomeBuild === 'GRCh38' ? 'hg38' : 'hg19';
  add(
    'meta_study.txt',
    fileOf([
      ...['type_of_cancer: mixed', `cancer_study_identifier: ${id}`, `name: ${choice.name}`],
      ...[`description: ${choice.name}, exported by Ploidy`, `reference_genome: ${portalBuild}`],
      'add_global_case_list: true',
    ]),
  );
  const hasValues = tables.has('attribute_value');
  for (const level of ['patient', 'sample'] as const)
    data(
      `clinical_${level}`,
      `CLINICAL/${level.toUpperCase()}_ATTRIBUTES`,
      {},
      clinicalLines(choice, level, hasValues),
    );
  const samples = studySamples(cohort);
  if (tables.has('variant'))
    data(
      'mutations',
      'MUTATION_EXTENDED/MAF',
      profile('mutations', 'Mutations'),
      mutationLines(tables, samples, genomeBuild),
    );
  if (tables.has('copynumber')) {
    data(
      'cna',
      'COPY_NUMBER_ALTERATION/DISCRETE_LONG',
      profile('gistic', 'Copy numbers'),
      copyNumberLines(samples),
    );
    data(
      'segments',
      'COPY_NUMBER_ALTERATION/SEG',
      { description: 'Segments', reference_genome_id: portalBuild },
      segmentLines(samples),
    );
  }
  if (tables.has('fusion'))
    data(
      'sv',
      'STRUCTURAL_VARIANT/SV',
      profile('structural_variants', 'Structural variants'),
      fusionLines(samples, genomeBuild),
    );
  if (choice.units.includes('other'))
    data(
      'expression',
      'MRNA_EXPRESSION/CONTINUOUS',
      profile('rna_seq_mrna', 'Expression'),
      expressionLines(samples, false),
    );
  if (choice.units.includes('z-score'))
    data(
      'expression_zscores',
      'MRNA_EXPRESSION/Z-SCORE',
      profile('rna_seq_mrna_median_Zscores', 'Expression z-scores'),
      expressionLines(samples, true),
    );
  if (tables.has('timeline_event')) data('timeline', 'CLINICAL/TIMELINE', {}, timelineLines(choice));
  if (tables.has('sample_profile')) {
    data('gene_panel_matrix', 'GENE_PANEL_MATRIX/GENE_PANEL_MATRIX', {}, panelMatrixLines(samples));
    for (const [list, kind] of Object.entries(lists)) {
      const listed = `SELECT sample_id FROM sample_profile WHERE kind = ${literal(kind)}`;
      add(`cases_${list}.txt`, caseList(choice, { id: list, name: list }, listed));
    }
  }
  for (const [at, name] of choice.caseLists.entries()) {
    const listed = `SELECT sample_id FROM attribute_value WHERE attribute_id = '${caseListAttribute}' AND value = ${literal(name)}`;
    add(`cases_list_${at + 1}.txt`, caseList(choice, { id: `list_${at + 1}`, name }, listed));
  }
  for (const panel of choice.panels)
    add(`gene_panel_${panel.replace(/[^\w.-]+/g, '_')}.txt`, panelLines(panel));
  return parts;
}

/** Kind of `sample_profile` by case list. */
const lists = {
  sequenced: 'mutation',
  cna: 'copy_number',
  sv: 'fusion',
  rna_seq_mrna: 'expression',
} as const;

function caseList({ id, cohort }: StudyChoice, list: { id: string; name: string }, listed: string): string {
  const name = list.name.replace(/[\t\r\n]+/g, ' ');
  const head = [
    ...[`cancer_study_identifier: ${id}`, `stable_id: ${id}_${list.id}`, `case_list_name: ${name}`],
    `case_list_description: Samples of ${name}`,
  ];
  const ids = `SELECT '' AS place, 'case_list_ids: ' || coalesce(string_agg(${cell('sample_id')}, chr(9) ORDER BY sample_id), '') AS line
    FROM (SELECT DISTINCT sample_id FROM (${listed}) JOIN ${studySamples(cohort)} AS s USING (sample_id))`;
  return fileOf(head, ids);
}

const portalTypes: Readonly<Record<string, string>> = { number: 'NUMBER', boolean: 'BOOLEAN' };

function clinicalLines(
  { attributes, cohort }: StudyChoice,
  level: 'patient' | 'sample',
  hasValues: boolean,
): string {
  const own = hasValues ? attributes.filter((one) => one.level === level && !computed.has(one.id)) : [];
  const ids = level === 'patient' ? ['PATIENT_ID'] : ['PATIENT_ID', 'SAMPLE_ID'];
  const row = (first: readonly string[], value: (one: ExportedAttribute) => string): string =>
    [...first, ...own.map((one) => value(one).replace(/[\t\r\n]+/g, ' '))].join('\t');
  const head = [
    `#${row(ids, ({ name }) => name)}`,
    `#${row(ids, ({ description }) => description)}`,
    `#${row(
      ids.map(() => 'STRING'),
      ({ type }) => portalTypes[type] ?? 'STRING',
    )}`,
    `#${row(
      ids.map(() => '1'),
      ({ priority }) => String(priority),
    )}`,
    row(ids, (one) => one.id),
  ];
  const key = level === 'patient' ? 'patient_id' : 'sample_id';
  const values = own.map(
    ({ id }, at) => `max(CASE WHEN v.attribute_id = ${literal(id)} THEN v.value END) AS a${at}`,
  );
  const samples = studySamples(cohort);
  const subjects =
    level === 'sample'
      ? `(SELECT DISTINCT patient_id, sample_id FROM ${samples})`
      : `(SELECT DISTINCT patient_id FROM ${samples})`;
  const columns = [...(level === 'patient' ? ['patient_id'] : ['patient_id', 'sample_id'])];
  const join = hasValues
    ? `LEFT JOIN (SELECT * FROM attribute_value WHERE sample_id IS ${level === 'patient' ? '' : 'NOT '}NULL) AS v ON v.${key} = s.${key}`
    : '';
  const grouped = columns.map((column) => `s.${column}`);
  return fileOf(
    head,
    `SELECT ${key} AS place, ${lineOf([...columns, ...own.map((_, at) => `a${at}`)])} AS line FROM (
      SELECT ${[...grouped, ...values].join(', ')} FROM ${subjects} AS s ${join} GROUP BY ${grouped.join(', ')})`,
  );
}

function timelineLines({ eventKeys, cohort }: StudyChoice): string {
  const known = ['PATIENT_ID', 'START_DATE', 'STOP_DATE', 'EVENT_TYPE', 'SAMPLE_ID'];
  const keys = eventKeys.filter((key) => !known.includes(key.toUpperCase()));
  const further = keys.map(
    (key) => `json_extract_string(attributes, ${literal(`$."${key.replaceAll('"', '')}"`)})`,
  );
  return fileOf(
    [[...known, ...keys].join('\t')],
    `SELECT patient_id || lpad(CAST(start_day + 1000000000 AS VARCHAR), 11, '0') AS place,
      ${lineOf(['patient_id', 'start_day', 'stop_day', 'type', 'sample_id', ...further])} AS line
      FROM timeline_event WHERE ${inCohort('patient_id', cohort)} AND patient_id IS NOT NULL`,
  );
}

function panelMatrixLines(samples: string): string {
  const kinds = ['mutation', 'copy_number', 'fusion'];
  const columns = kinds.map(
    (kind) =>
      `coalesce(max(CASE WHEN kind = ${literal(kind)} THEN coalesce(panel_id, CASE assay WHEN 'exome' THEN 'WES' WHEN 'genome' THEN 'WGS' END) END), 'NA') AS ${kind}`,
  );
  return fileOf(
    [['SAMPLE_ID', 'mutations', 'gistic', 'structural_variants'].join('\t')],
    `SELECT sample_id AS place, ${lineOf(['sample_id', ...kinds])} AS line FROM (
      SELECT sample_id, ${columns.join(', ')} FROM sample_profile JOIN ${samples} AS s USING (sample_id) GROUP BY sample_id)`,
  );
}

function panelLines(panel: string): string {
  return fileOf(
    [`stable_id: ${panel}`],
    `SELECT '0' AS place, 'description: ' || coalesce(${cell('max(description)')}, ${literal(panel)}) AS line FROM gene_panel WHERE panel_id = ${literal(panel)}
      UNION ALL SELECT '1', 'gene_list: ' || string_agg(${cell('gene')}, chr(9) ORDER BY gene) FROM gene_panel WHERE panel_id = ${literal(panel)}`,
  );
}
