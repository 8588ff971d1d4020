import type { ConversionTask, Reporter } from '@ploidy/engine';
import {
  caseListAttribute,
  examinedInList,
  type GenomeBuild,
  InputError,
  listed,
  whyLeftOut,
} from '@ploidy/formats';
import type { ClinicalTables } from './clinical-tables.ts';
import type { OmicTables } from './omic-tables.ts';
import type { StudyAccounts } from './study-account.ts';
import { dataOf, linesOf, type Study, type StudyMeta } from './unpack.ts';

/** Returns the meta file of the study. Throws `InputError` without one, or with several. */
export function onlyStudy({ metas }: Study): StudyMeta {
  const [first, second] = metas.filter(({ kind }) => kind === 'study');
  if (!first)
    throw new InputError(
      'The archive holds no study of cBioPortal: no file has cancer_study_identifier and type_of_cancer (meta_study.txt).',
    );
  if (second) throw new InputError('The archive holds several studies: pack and ingest them one by one.');
  return first;
}

const builds: ReadonlyMap<string, GenomeBuild> = new Map([
  ['hg19', 'GRCh37'],
  ['grch37', 'GRCh37'],
  ['hg38', 'GRCh38'],
  ['grch38', 'GRCh38'],
]);

/** Returns the build of the positions: of the records, else of the study, else of the request. Without any the format has hg19. */
export function buildOf(
  { name, values }: StudyMeta,
  { builds: found }: OmicTables,
  { options }: Pick<ConversionTask, 'options'>,
  accounts: StudyAccounts,
): GenomeBuild {
  const stated = builds.get(values.get('reference_genome')?.toLowerCase() ?? '');
  const expected = stated ?? options.genomeBuild ?? 'GRCh37';
  const [only = expected] = found;
  if (found.size > 1)
    accounts
      .of(name)
      .warn(`its data are on several genome builds (${[...found].join(', ')}): positions are not comparable`);
  else if (only !== expected)
    accounts
      .of(name)
      .warn(
        `its records are on ${only}, but ${stated === undefined ? 'nothing says so, which means' : 'it names'} ${expected}: the records count`,
      );
  return found.size === 1 ? only : expected;
}

/** Gives the samples the cancer type of the study, where the clinical files have none. One of several types is none. */
export async function addCancerType(
  study: Study,
  about: StudyMeta,
  clinical: ClinicalTables,
  accounts: StudyAccounts,
): Promise<void> {
  const id = about.values.get('type_of_cancer')?.toLowerCase() ?? '';
  const meta = study.metas.find(({ kind }) => kind === 'cancerTypes');
  const file = meta && dataOf(study, meta);
  if (!file || file.isPointer || clinical.has('CANCER_TYPE') || id === 'mixed') return;
  for await (const { text } of linesOf(file.path)) {
    const [type = '', name = ''] = text.split('\t').map((field) => field.trim());
    if (type.toLowerCase() !== id || name === '') continue;
    clinical.defineComputed(
      {
        id: 'CANCER_TYPE',
        name: 'Cancer Type',
        type: 'string',
        description: 'Cancer type of the study',
        priority: 3000,
      },
      'sample',
    );
    for (const [sample_id, patient_id] of clinical.samples)
      clinical.add({ attribute_id: 'CANCER_TYPE', patient_id, sample_id, value: name });
    accounts.of(file.name).read('type_of_cancer');
    return;
  }
}

/** Gives the samples the case lists that hold them. Lists of all samples, and of examined ones, are known otherwise. */
export function addCaseLists(study: Study, clinical: ClinicalTables, accounts: StudyAccounts): void {
  const lists = study.metas.filter(
    ({ kind, values }) => kind === 'caseList' && examinedInList(values).length === 0 && !isOfAll(values),
  );
  if (lists.length === 0) return;
  if (clinical.has(caseListAttribute)) {
    for (const { name } of lists) accounts.of(name).unread(`a clinical file has ${caseListAttribute} itself`);
    return;
  }
  const description = 'Case lists of the study that hold the sample';
  const attribute = {
    id: caseListAttribute,
    name: 'Case list',
    type: 'string',
    description,
    priority: 40,
  } as const;
  clinical.defineComputed(attribute, 'sample');
  const given = new Set<string>();
  for (const { name, values } of lists) {
    const account = accounts.of(name);
    const value = values.get('case_list_name') || values.get('stable_id') || name;
    const ids = listed(values.get('case_list_ids') ?? '');
    const known = ids.filter((id) => clinical.samples.has(id));
    if (known.length < ids.length)
      account.warn(
        `${ids.length - known.length} samples of the list are in no other file: they were left out`,
      );
    for (const sample_id of known) {
      const key = JSON.stringify([value, sample_id]);
      if (given.has(key)) continue;
      given.add(key);
      const patient_id = clinical.samples.get(sample_id);
      clinical.add({ attribute_id: caseListAttribute, patient_id, sample_id, value });
    }
    account.read('case_list_ids');
  }
}

const isOfAll = (values: StudyMeta['values']): boolean =>
  /(^|_)all$/.test(values.get('stable_id') ?? '') ||
  values.get('case_list_category') === 'all_cases_in_study';

/** Lists what has no table: facts of the study, and files that no meta file names. */
export function listUnread(study: Study, about: StudyMeta, accounts: StudyAccounts): void {
  const read = new Set(['cancer_study_identifier', 'type_of_cancer', 'reference_genome']);
  for (const key of about.values.keys())
    if (read.has(key)) accounts.of(about.name).read(key);
    else accounts.of(about.name).unread(`${key}: a fact of the study that has no table`);
  const named = new Set(study.metas.map((meta) => dataOf(study, meta)?.name));
  for (const { name } of study.files.values())
    if (!named.has(name)) accounts.of(name).unread('no meta file names it');
}

/** Returns why the data of a meta file are left out. */
export const whyLeft = ({ values }: StudyMeta): string => whyLeftOut(values);

/** Share of the progress that unpacking takes. */
export const unpackingShare = 0.3;

/** Progress of the data files: bytes of the archive in proportion to the unpacked bytes that are read. */
export class DataProgress {
  readonly #size: number;
  readonly #all: number;
  readonly #report: Reporter;
  #doneBytes = 0;
  #rows = 0;
  #ofFile = 0;

  constructor({ sourceSize }: ConversionTask, { files }: Study, report: Reporter) {
    this.#size = sourceSize;
    this.#all = Math.max(
      1,
      [...files.values()].reduce((sum, { size }) => sum + size, 0),
    );
    this.#report = report;
  }

  /** Rows of the current file. */
  rows(count: number): void {
    this.#ofFile = count;
    this.#showProgress();
  }

  /** Ends the current file. */
  done(bytes: number): void {
    this.#doneBytes += bytes;
    this.#rows += this.#ofFile;
    this.#ofFile = 0;
    this.#showProgress();
  }

  #showProgress(): void {
    const share = unpackingShare + (1 - unpackingShare) * (this.#doneBytes / this.#all);
    this.#report.progress(Math.round(this.#size * Math.min(1, share)), this.#rows + this.#ofFile);
  }
}
