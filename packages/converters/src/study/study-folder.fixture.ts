/** Makes study folders of cBioPortal with the deviations of its public studies, and what they say. */
import { randomOf } from '../../../../samples/generator/random.ts';
import { addExpression, addRatios, tsv } from './study-matrices.fixture.ts';

export interface StudyTruth {
  /** Rows by table as text, in any order. */
  patients: string[];
  samples: string[];
  values: string[];
  mutations: string[];
  levels: string[];
  fusions: string[];
  profiles: string[];
  events: string[];
  /** Values of matrices by their sample and gene: swapped columns or lines are other values. */
  expression: string[];
  copies: string[];
}

export interface StudyFolder {
  files: Record<string, string>;
  truth: StudyTruth;
}

const genes = ['TP53', 'KRAS', 'BRAF', 'EGFR', 'MYC', 'TERT', 'PTEN'];
const classes = [
  ['Missense_Mutation', 'missense'],
  ['Nonsense_Mutation', 'truncating'],
  ['Frame_Shift_Del', 'truncating'],
  ['In_Frame_Del', 'inframe'],
  ['Splice_Site', 'splice'],
  ['Silent', undefined],
  ['Intron', undefined],
  ["3'UTR", undefined],
] as const;
const levels: Readonly<Record<string, string | undefined>> = {
  '-2': 'deletion',
  '-1.5': 'loss',
  '-1': 'loss',
  '1': 'gain',
  '2': 'amplification',
};

const mutationColumns =
  'Hugo_Symbol Entrez_Gene_Id NCBI_Build Chromosome Start_Position End_Position Strand ' +
  'Variant_Classification Reference_Allele Tumor_Seq_Allele1 Tumor_Seq_Allele2 Tumor_Sample_Barcode t_alt_count ' +
  't_ref_count HGVSp_Short Mutation_Status cbp_driver Validation_Status';

/** Makes a study of so many samples; each third patient has two. `hasRatios`: copies beside levels, which no export has. */
export function studyFolder(sampleCount: number, seed = 7, hasRatios = false): StudyFolder {
  const { next } = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const truth: StudyTruth = {
    ...{
      patients: [],
      samples: [],
      values: [],
      mutations: [],
      levels: [],
      fusions: [],
      profiles: [],
      events: [],
      expression: [],
      copies: [],
    },
  };
  const samples: { id: string; patient: string }[] = [];
  for (let n = 0; samples.length < sampleCount; n += 1)
    for (let k = 0; k < (n % 3 === 0 ? 2 : 1) && samples.length < sampleCount; k += 1)
      samples.push({ id: `P-${n}-T${k + 1}`, patient: `P-${n}` });
  const patients = [...new Set(samples.map(({ patient }) => patient))];
  const study = 'made_2026';
  const files: Record<string, string> = {
    // Blanks behind values, unknown keys, CRLF; no reference_genome.
    'study/meta_study.txt': `type_of_cancer: luad \r\ncancer_study_identifier: ${study}\r\nname: Made\r\nshort_name: Made\r\nCitation: nobody\r\ndescription: Made\r\n`,
    'study/meta_cancer_type.txt':
      'genetic_alteration_type: CANCER_TYPE\ndatatype: CANCER_TYPE\ndata_filename: types.txt\n',
    'study/types.txt': 'luad\tLung Adenocarcinoma\tGainsboro\tlung\n',
  };
  const meta = (name: string, type: string, datatype: string, data: string, more = ''): void => {
    files[`study/meta_${name}.txt`] =
      `cancer_study_identifier: ${study}\ngenetic_alteration_type: ${type}\ndatatype: ${datatype} \ndata_filename: ${data}\n${more}`;
  };
  const folder = { files, truth, meta, next, genes, ids: samples.map(({ id }) => id) };
  addClinical();
  addMutations();
  addLevels();
  addFusions();
  addOthers();
  addLists();
  return { files, truth };

  function addClinical(): void {
    meta('clinical_patient', 'CLINICAL', 'PATIENT_ATTRIBUTES', 'patients of it.txt');
    meta('clinical_sample', 'CLINICAL', 'SAMPLE_ATTRIBUTES', 'data_clinical_sample.txt');
    const rows = patients.map((patient, n) => {
      const [sex, age, months] = [
        pick(['Male', 'Female', 'NA']),
        n % 10 === 0 ? '>89' : String(30 + (n % 50)),
        next() * 100,
      ];
      const event = pick(['DECEASED', '0:LIVING', '[Not Available]']);
      truth.patients.push(`${patient}|${sex === 'NA' ? '-' : sex.toLowerCase()}`);
      const written: [string, string][] = [
        ['SEX', sex],
        ['AGE', age],
        ['OS_STATUS', event === 'DECEASED' ? '1:DECEASED' : event],
        ['OS_MONTHS', months.toFixed(2)],
      ];
      for (const [id, value] of written)
        if (!['NA', '[Not Available]'].includes(value)) truth.values.push(`${id}|${patient}|-|${value}`);
      return [patient, sex, age, event, months.toFixed(2), ''];
    });
    const titles = ['PATIENT_ID', 'SEX', 'AGE', 'OS_STATUS', 'OS_MONTHS', 'EMPTY'];
    files['study/patients of it.txt'] = tsv(
      [
        ['#Patient', ...titles.slice(1)],
        ['#Id', ...titles.slice(1)],
        ['#STRING', 'STRING', 'NUMBER', 'STRING', 'NUMBER', 'STRING'],
        ['#1', '9', '9', '1', '1', '1'],
        titles,
        ...rows,
        // A second row of a patient.
        [patients[0], 'Other', '1', '1:DECEASED', '1', ''],
      ],
      '\r\n',
    );
    files['study/data_clinical_sample.txt'] = tsv([
      ['#Sample', 'Patient', 'Type', 'TMB', 'Count', 'Fresh'],
      ['#', '', '', '', '', ''],
      ['#STRING', 'STRING', 'STRING', 'NUMBER', 'NUMBER', 'BOOLEAN'],
      ['#1', '1', '1', '1', '30', '1'],
      ['SAMPLE_ID', 'PATIENT_ID', 'SAMPLE_TYPE', 'TMB', 'MUTATION_COUNT', 'FRESH'],
      ...samples.map(({ id, patient }, n) => {
        const [type, tmb, fresh] = [
          pick(['Primary', 'Metastasis\u0000']),
          n === 5 ? 'high' : next().toFixed(3),
          pick(['true', 'FALSE']),
        ];
        truth.samples.push(`${id}|${patient}`);
        truth.values.push(`SAMPLE_TYPE|${patient}|${id}|${type.replace('\u0000', '')}`);
        truth.values.push(`TMB|${patient}|${id}|${tmb}`, `FRESH|${patient}|${id}|${fresh.toUpperCase()}`);
        truth.values.push(`CANCER_TYPE|${patient}|${id}|Lung Adenocarcinoma`);
        return [id, patient, type, tmb, '99', fresh];
      }),
    ]);
  }

  function addMutations(): void {
    meta(
      'mutations_extended',
      'MUTATION_EXTENDED',
      'MAF',
      'data_mutations.txt',
      `stable_id: mutations\nshow_profile_in_analysis_tab: true\n`,
    );
    const rows: unknown[][] = [];
    const sequenced = samples.filter((_, n) => n % 7 !== 0);
    const counts = new Map(sequenced.map(({ id }) => [id, 0]));
    for (const { id } of sequenced)
      for (const gene of genes) {
        if (next() > 0.3) continue;
        const [kind, name] = pick(classes);
        const [alternate, reference] = [Math.floor(next() * 50) + 1, Math.floor(next() * 50) + 1];
        const isOmitted = next() < 0.1;
        const status = pick(['Somatic', 'GERMLINE', '---']);
        const driver = pick(['Putative_Driver', 'Putative_Passenger', '']);
        const position = 1000 + rows.length;
        rows.push([
          ...[gene, 'NA', 'hg19', '17', position, position, '+', kind, 'C', 'C', 'A', id],
          ...[isOmitted ? '' : alternate, isOmitted ? '' : reference, 'p.R1H', status, driver, 'Wildtype'],
        ]);
        if (name === undefined) continue;
        counts.set(id, (counts.get(id) ?? 0) + 1);
        const fraction = isOmitted ? '-' : (alternate / (alternate + reference)).toFixed(4);
        const judged = driver === '' ? '-' : driver.slice('Putative_'.length).toLowerCase();
        truth.mutations.push(
          `${id}|${gene}|${name}|${position}|${status === '---' ? '-' : status.toLowerCase()}|${fraction}|${judged}`,
        );
      }
    files['study/data_mutations.txt'] = `#version 2.4\n${tsv([mutationColumns.split(' '), ...rows])}`;
    addList(
      'sequenced',
      sequenced.map(({ id }) => id),
    );
    for (const { id, patient } of sequenced) {
      truth.values.push(`MUTATION_COUNT|${patient}|${id}|${counts.get(id)}`);
      truth.profiles.push(`${id}|mutation|${Number(id.split('-')[1]) % 2 === 0 ? 'IMPACT' : '-'}`);
    }
    meta('matrix', 'GENE_PANEL_MATRIX', 'GENE_PANEL_MATRIX', 'matrix.txt');
    files['study/matrix.txt'] = tsv([
      ['SAMPLE_ID', 'mutations', 'cna'],
      ...sequenced.map(({ id }) => [id, Number(id.split('-')[1]) % 2 === 0 ? 'IMPACT' : 'WES', 'NA']),
    ]);
    files['panels/impact.txt'] =
      `stable_id: IMPACT \ndescription: A panel\ngene_list: ${genes.slice(0, 4).join('\t')}\n`;
  }

  function addLevels(): void {
    meta('cna', 'COPY_NUMBER_ALTERATION', 'DISCRETE', 'gistic.txt', 'stable_id: gistic\n');
    const rows = genes.map((gene) => [
      gene,
      'NA',
      ...samples.map(() => pick(['-2', '-1.5', '-1', '0', '0', '1', '2', 'NA'])),
    ]);
    for (const [gene, , ...values] of rows)
      for (const [n, value] of values.entries()) {
        const name = levels[value];
        if (name !== undefined) truth.levels.push(`${samples[n]?.id}|${gene}|${name}`);
      }
    // The first line of a gene counts.
    rows.push(['TP53', 'NA', ...samples.map(() => '2')]);
    if (hasRatios) addRatios(folder, rows.slice(0, genes.length));
    files['study/gistic.txt'] = tsv([
      ['Hugo_Symbol', 'Entrez_Gene_Id', ...samples.map(({ id }) => id)],
      ...rows,
    ]);
    for (const { id } of samples) truth.profiles.push(`${id}|copy_number|-`);
    meta('seg', 'COPY_NUMBER_ALTERATION', 'SEG', 'x.seg', 'reference_genome_id: hg19\n');
    files['study/x.seg'] = tsv([
      ['ID', 'chrom', 'loc.start', 'loc.end', 'num.mark', 'seg.mean'],
      ...samples.flatMap(({ id, patient }, n) => {
        const mean = (n % 5) / 10;
        truth.values.push(`FRACTION_GENOME_ALTERED|${patient}|${id}|${mean >= 0.2 ? '0.75' : '0.0'}`);
        return [
          [id, '1', 1, 3001, 9, mean],
          [id, '23', 1, 1001, 9, '-0.1'],
        ];
      }),
    ]);
  }

  function addFusions(): void {
    meta('sv', 'STRUCTURAL_VARIANT', 'SV', 'data_sv.txt', 'stable_id: structural_variants\n');
    const altered = samples.filter((_, n) => n % 9 === 0);
    files['study/data_sv.txt'] = tsv([
      [
        'Sample_Id',
        'SV_Status',
        'Site1_Hugo_Symbol',
        'Site2_Hugo_Symbol',
        'Site1_Chromosome',
        'Site1_Position',
        'Site2_Chromosome',
        'Site2_Position',
      ],
      ...altered.map(({ id }) => [id, 'SOMATIC', 'EML4', 'ALK', '2', '42522656', '2', '29446394']),
    ]);
    for (const { id } of altered) truth.fusions.push(`${id}|ALK|EML4`, `${id}|EML4|ALK`);
    addList(
      'sv',
      samples.map(({ id }) => id),
    );
    for (const { id } of samples) truth.profiles.push(`${id}|fusion|-`);
  }

  function addOthers(): void {
    meta('timeline', 'CLINICAL', 'TIMELINE', 'data_timeline.txt');
    // Without STOP_DATE, as the example of the format.
    files['study/data_timeline.txt'] = tsv([
      ['PATIENT_ID', 'START_DATE', 'EVENT_TYPE', 'AGENT'],
      ...patients.map((patient, n) => {
        truth.events.push(`${patient}|TREATMENT|${n - 10}|{"AGENT":"Cisplatin"}`);
        return [patient, n - 10, 'TREATMENT', 'Cisplatin'];
      }),
      [patients[0], 'June', 'TREATMENT', 'Cisplatin'],
    ]);
    meta('expression', 'MRNA_EXPRESSION', 'CONTINUOUS', 'data_mrna.txt', 'stable_id: mrna_seq_tpm\n');
    addExpression(folder);
    for (const { id } of samples) truth.profiles.push(`${id}|expression|-`);
    meta('methylation', 'METHYLATION', 'CONTINUOUS', 'data_methylation.txt');
    files['study/data_methylation.txt'] = 'Hugo_Symbol\tA\n';
    meta('log2', 'COPY_NUMBER_ALTERATION', 'LOG2-VALUE', 'data_log2_cna.txt');
    files['study/data_log2_cna.txt'] = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n';
    meta('gone', 'CLINICAL', 'TIMELINE', 'gone.txt');
  }

  /** Lists of the people of the study, which overlap; samples may be in none. */
  function addLists(): void {
    for (const [name, title, step] of [
      ['responders', 'Responders', 4],
      ['reviewed', 'Reviewed by the board', 6],
    ] as const) {
      const chosen = samples.filter((_, n) => n % step === 0);
      const ids = chosen.map(({ id }) => id);
      addList(name, ids, title);
      for (const { id, patient } of chosen) truth.values.push(`CASE_LIST|${patient}|${id}|${title}`);
    }
  }

  function addList(name: string, ids: readonly string[], title = 'x'): void {
    files[`study/case_lists/cases_${name}.txt`] =
      `cancer_study_identifier: ${study}\nstable_id: ${study}_${name}\ncase_list_name: ${title}\ncase_list_description: x\ncase_list_ids: ${[...ids, 'Nobody'].join('\t')}\n`;
  }
}
