import { join } from 'node:path';
import type { ConvertedTable, Sql } from '@ploidy/engine';
import {
  examinedInList,
  listed,
  type ProfileKind,
  profileOf,
  storedTable,
  wholeAssay,
} from '@ploidy/formats';
import type { Examined } from '../tables/alterations.ts';
import { TableFile } from '../tables/table-file.ts';
import type { StudyAccount, StudyAccounts } from './study-account.ts';
import { dataOf, linesOf, type Study, type StudyFile, type StudyMeta } from './unpack.ts';

/** Words of a panel matrix for a sample that was not examined. */
const notExamined = new Set(['', 'NA']);

/** Kinds and genes that a study examined in its samples, from its data, case lists and panels. */
export class Examinations {
  readonly #study: string;
  readonly #samples = new Map<ProfileKind, Set<string>>();
  readonly #panels = new Map<ProfileKind, Map<string, string>>();
  readonly #panelOfFile = new Map<ProfileKind, string>();
  readonly #listed = new Map<ProfileKind, Set<string>>();

  constructor(study: string) {
    this.#study = study;
  }

  /** Notes the samples of a data file, with the panel that its meta file names. */
  addData(kind: ProfileKind, samples: Iterable<string>, meta: StudyMeta): void {
    const all = setOf(this.#samples, kind);
    for (const sample of samples) all.add(sample);
    const panel = meta.values.get('gene_panel');
    if (panel) this.#panelOfFile.set(kind, panel);
  }

  /** Notes the samples of a case list that names a kind of examination. */
  addList({ values }: StudyMeta): void {
    for (const kind of examinedInList(values))
      for (const sample of listed(values.get('case_list_ids') ?? '')) setOf(this.#listed, kind).add(sample);
  }

  /** Reads the panels of samples: SAMPLE_ID and a column for each profile. */
  async readMatrix(file: StudyFile, account: StudyAccount): Promise<void> {
    let kinds: (ProfileKind | undefined)[] | undefined;
    let place = -1;
    for await (const { text, line } of linesOf(file.path)) {
      if (text.trim() === '' || text.startsWith('#')) continue;
      const fields = text.split('\t').map((field) => field.trim());
      if (!kinds) {
        place = fields.findIndex((title) => title.toUpperCase() === 'SAMPLE_ID');
        if (place < 0) return account.leaveFile('it has no column SAMPLE_ID');
        kinds = fields.map((title, at) => (at === place ? undefined : profileOf(title, this.#study)));
        for (const [at, title] of fields.entries())
          if (at !== place && kinds[at] === undefined) account.unread(`${title}: a profile that is not read`);
        continue;
      }
      const sample = fields[place] ?? '';
      if (sample === '') account.leave('a line without its sample', line);
      else account.gave();
      for (const [at, kind] of kinds.entries()) {
        const panel = fields[at] ?? '';
        if (kind === undefined || sample === '' || notExamined.has(panel.toUpperCase())) continue;
        setOf(this.#listed, kind).add(sample);
        this.#panels.set(kind, (this.#panels.get(kind) ?? new Map()).set(sample, panel));
      }
    }
  }

  /**
   * Returns what was examined. Only kinds whose data were read count: a list alone would make samples without data into samples
   * without alterations. `known`: samples of the clinical files; a list of others is of no study here.
   */
  all(known: ReadonlySet<string>, accounts: StudyAccounts): Examined[] {
    return [...this.#samples].map(([kind, ofData]) => {
      const ofLists = [...(this.#listed.get(kind) ?? [])];
      const strangers = ofLists.filter((sample) => !known.has(sample) && !ofData.has(sample)).length;
      if (strangers > 0)
        accounts
          .of(kind)
          .warn(`${strangers} samples of lists and panels are in no other file: they were left out`);
      if (ofLists.length === 0 && (kind === 'mutation' || kind === 'fusion'))
        accounts
          .of(kind)
          .warn('no list names the examined samples: those without any are taken as not examined');
      const samples = [...ofData.union(new Set(ofLists.filter((sample) => known.has(sample))))];
      const [panels, assays] = [new Map<string, string>(), new Map<string, string>()];
      for (const sample of samples) {
        const panel = this.#panels.get(kind)?.get(sample) ?? this.#panelOfFile.get(kind);
        if (panel === undefined) continue;
        const assay = wholeAssay(panel);
        if (assay === undefined) panels.set(sample, panel);
        else if (assay !== null) assays.set(sample, assay);
      }
      return { kind, samples, panels, assays };
    });
  }
}

function setOf<K>(sets: Map<K, Set<string>>, key: K): Set<string> {
  const known = sets.get(key) ?? new Set();
  sets.set(key, known);
  return known;
}

/** Writes `gene_panel`: the panels of the study. Names the ones without genes that its samples have. */
export async function writePanels(
  study: Study,
  folder: string,
  sql: Sql,
  accounts: StudyAccounts,
): Promise<{ table: ConvertedTable; ids: ReadonlySet<string> }> {
  const file = new TableFile(join(folder, 'gene_panel.parquet'), storedTable('gene_panel'));
  const ids = new Set<string>();
  try {
    for (const { name, values, kind } of study.metas) {
      if (kind !== 'panel') continue;
      const [account, id] = [accounts.of(name), values.get('stable_id') ?? ''];
      if (id === '') account.leaveFile('the panel has no stable_id');
      else if (ids.has(id)) account.leaveFile('another file has a panel of the same stable_id');
      else {
        ids.add(id);
        for (const gene of listed(values.get('gene_list') ?? ''))
          file.add({ panel_id: id, description: values.get('description') || undefined, gene });
        account.gave();
      }
    }
    await file.end(sql);
  } finally {
    file.close();
  }
  return { table: { table: 'gene_panel', path: file.path, rows: file.rowCount }, ids };
}

/** Reads the lists and panel matrices of a study into its examinations. */
export async function readExaminations(
  study: Study,
  examinations: Examinations,
  accounts: StudyAccounts,
): Promise<void> {
  for (const meta of study.metas) {
    if (meta.kind === 'caseList') examinations.addList(meta);
    if (meta.kind !== 'panelMatrix') continue;
    const file = dataOf(study, meta);
    if (file && !file.isPointer) await examinations.readMatrix(file, accounts.of(file.name));
  }
}
