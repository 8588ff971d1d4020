import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversionTask, Convert, ConvertedTable, Sql } from '@ploidy/engine';
import { driverFile, studyTables } from '../tables/alterations.ts';
import { onBuild, warnOfBeyond } from '../tables/genome-build.ts';
import { writeSequence } from '../tables/samples.ts';
import { ClinicalTables } from './clinical-tables.ts';
import { computedValues, defineComputed } from './computed.ts';
import { OmicTables } from './omic-tables.ts';
import { Examinations, readExaminations, writePanels } from './panels.ts';
import { patientTables } from './patients.ts';
import { StudyAccounts } from './study-account.ts';
import {
  addCancerType,
  addCaseLists,
  buildOf,
  DataProgress,
  listUnread,
  onlyStudy,
  unpackingShare,
  whyLeft,
} from './study-facts.ts';
import { Timelines } from './timeline.ts';
import { dataOf, type Study, type StudyMeta, unpack } from './unpack.ts';

/**
 * Converts the archive of a study folder of cBioPortal (docs/formats/study.md). Files are recognised by the type and datatype of their
 * meta file. What can be read is read; the rest is listed with its reason.
 */
export const convertStudy: Convert = async (task, sql, report) => {
  const folder = join(task.outputFolder, 'study');
  await mkdir(folder, { mode: 0o700 });
  const study = await unpack(task.sourcePath, folder, (bytes) =>
    report.progress(Math.round(bytes * unpackingShare), 0),
  );
  const about = onlyStudy(study);
  const accounts = new StudyAccounts(report);
  const prefix = task.options.idPrefix ?? '';
  const clinical = new ClinicalTables(task.outputFolder, prefix);
  const timelines = new Timelines(task.outputFolder, prefix);
  const omic = new OmicTables(task, sql);
  const examinations = new Examinations(about.values.get('cancer_study_identifier') ?? '');
  const progress = new DataProgress(task, study, report);
  try {
    for (const meta of inOrder(study)) {
      const file = dataOf(study, meta);
      const account = accounts.of(file?.name ?? meta.name);
      if (noData.has(meta.kind)) continue;
      if (meta.kind === undefined) account.leaveFile(whyLeft(meta));
      else if (!file) account.leaveFile('its data_filename is not in the archive');
      else if (file.isPointer)
        account.leaveFile(
          'it is a pointer of Git LFS, not the data: run "git lfs pull" in the folder and pack it again',
        );
      else {
        if (file.zeroCount > 0) account.warn(`${file.zeroCount} bytes 0 were left out`);
        if (meta.kind === 'samples' || meta.kind === 'patients')
          await clinical.read(file, meta.kind === 'samples' ? 'sample' : 'patient', account);
        else if (meta.kind === 'timeline') await timelines.read(file, account);
        else await omic.read(meta, file, { examinations, accounts, onRows: (rows) => progress.rows(rows) });
        account.end();
      }
      if (file) progress.done(file.size);
    }
    await readExaminations(study, examinations, accounts);
    addCaseLists(study, clinical, accounts);
    await addCancerType(study, about, clinical, accounts);
    listUnread(study, about, accounts);
    const made = await written({ task, sql, study, clinical, timelines, omic, examinations, accounts });
    const build = buildOf(about, omic, task, accounts);
    await warnOfBeyond(made, build, sql, report);
    accounts.end();
    return onBuild(made, build);
  } finally {
    clinical.close();
    timelines.close();
    await rm(folder, { recursive: true, force: true });
  }
};

interface Reading {
  task: ConversionTask;
  sql: Sql;
  study: Study;
  clinical: ClinicalTables;
  timelines: Timelines;
  omic: OmicTables;
  examinations: Examinations;
  accounts: StudyAccounts;
}

/** Writes all tables. */
async function written(reading: Reading): Promise<ConvertedTable[]> {
  const { task, sql, study, clinical, timelines, omic, examinations, accounts } = reading;
  const known = new Set(clinical.samples.keys());
  const strangers = [...omic.samples].filter((sample) => !known.has(sample));
  if (strangers.length > 0)
    accounts
      .of('samples')
      .warn(`${strangers.length} samples of data files are in no clinical file: they have no patient`);
  const links = new Map([...clinical.samples].map(([sample, patientId]) => [sample, { patientId }]));
  const sequence = await writeSequence(task, sql, { ids: [...known, ...strangers], links });
  const tables = await omic.end();
  const examined = examinations.all(known, accounts);
  const panels = await writePanels(study, task.outputFolder, sql, accounts);
  const unknown = new Set(examined.flatMap(({ panels: used }) => [...(used?.values() ?? [])])).difference(
    panels.ids,
  );
  if (unknown.size > 0)
    accounts
      .of('panels')
      .warn(`no file has the genes of ${[...unknown].join(', ')}: what they examined is unknown`);
  const derived = await studyTables(task, sql, tables, { samples: [], examined });
  defineComputed(clinical, derived, omic.segments !== undefined);
  const computed = computedValues([...derived, sequence], tables, omic.segments !== undefined);
  const attributes = await clinical.end(sql, computed);
  const patients = await patientTables(task, sql, clinical.patients);
  const made = [
    ...tables.filter(({ table }) => table !== driverFile),
    ...[sequence, ...derived, ...attributes, panels.table, await timelines.end(sql), ...patients],
  ];
  return made.filter(({ table, rows }) => rows > 0 || table === 'variant');
}

const noData: ReadonlySet<StudyMeta['kind']> = new Set([
  'study',
  'caseList',
  'panel',
  'panelMatrix',
  'cancerTypes',
]);

/**
 * Samples first: they name the patients. Then patients, then the others: expression from reads before that of arrays, and large
 * files before small ones, whatever their place in the archive.
 */
function inOrder(study: Study): StudyMeta[] {
  const isOfArray = ({ kind, values }: StudyMeta): boolean =>
    (kind === 'expression' || kind === 'scores') && !/seq/i.test(values.get('stable_id') ?? '');
  const rank = (meta: StudyMeta): number =>
    meta.kind === 'samples' ? 0 : meta.kind === 'patients' ? 1 : isOfArray(meta) ? 3 : 2;
  const sizeOf = (meta: StudyMeta): number => dataOf(study, meta)?.size ?? 0;
  return study.metas.toSorted((left, right) => rank(left) - rank(right) || sizeOf(right) - sizeOf(left));
}
