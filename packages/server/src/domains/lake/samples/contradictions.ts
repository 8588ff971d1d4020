import { type Engine, EngineError, literal } from '@ploidy/engine';
import { type Bounds, demographic, sampleLink, sequence } from '@ploidy/formats/tables';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { Reader, Records, Transaction } from '../../../platform/records/records.ts';
import { type NewSegment, presentVersions } from '../catalogue/catalogue.ts';
import { type LakeFile, presentFiles } from '../catalogue/lake-files.ts';
import { type LocatedFile, locate, rowsWithOrdinal } from '../catalogue/segment-rows.ts';
import { temporaryProblem } from '../engine-problems.ts';

/** Rows to be published in a project, in place of earlier ones of their file. */
interface Arriving {
  project: string;
  fileId: string;
  segments: readonly Pick<NewSegment, 'table' | 'blob' | 'rowCount' | 'bounds'>[];
}

interface Deps {
  records: Records;
  blobs: Blobs;
  engine: Engine;
}

type Found = { kind: string; ordinal: string | number; count: string | number };

/** Tables with values that two ingestions may contradict, and whose names their rows are about. */
const compared = new Map([
  [sequence.name, { about: 'sample', key: 'id' }],
  [sampleLink.name, { about: 'sample', key: 'sample_name' }],
  [demographic.name, { about: 'patient', key: 'patient_id' }],
]);
/** Earlier ingestions that get a warning. */
const warnedMax = 100;
/** Warnings that an ingestion keeps. */
const keptMax = 100;
/** Longest comparison; without a result the ingestion warns of that. */
const compareMaxMs = 60_000;

/**
 * Compares arriving samples and patients with those of other files of the project: a sample that gets another patient, other
 * values of a sample, another sex or birth date of a patient.
 */
export class Contradictions {
  readonly #deps: Deps;
  readonly #arriving: Arriving;
  /** Versions that were compared. */
  #compared: Awaited<ReturnType<typeof presentVersions>> | undefined;
  #found: Found[] = [];
  /** Earlier ingestions of the file. */
  #replaced = 0;

  constructor(deps: Deps, arriving: Arriving) {
    this.#deps = deps;
    this.#arriving = arriving;
  }

  get #own(): Arriving['segments'] {
    return this.#arriving.segments.filter(({ table, rowCount }) => compared.has(table) && rowCount > 0);
  }

  /** Compares the rows with the present ones. */
  async compare(): Promise<void> {
    const own = this.#own;
    if (own.length === 0) return;
    const { records } = this.#deps;
    const { project, fileId } = this.#arriving;
    const versions = await presentVersions(records.read, project);
    const present = await presentFiles(records.read, project, [...compared.keys()]);
    const replaced = await ordinalsOf(records.read, project, fileId);
    const mayShare = sharesNames(own);
    const others = present.filter(
      (file) => (file.segments > 1 || !replaced.includes(file.ordinal)) && mayShare(file),
    );
    this.#replaced = replaced.length;
    this.#found = others.length > 0 ? await this.#compareWith(own, others, replaced) : [];
    this.#compared = versions;
  }

  async #compareWith(own: Arriving['segments'], others: LakeFile[], replaced: number[]): Promise<Found[]> {
    const { blobs, engine } = this.#deps;
    const sources = [...own.map(({ blob }) => blob), ...others.map(({ blob }) => blob)];
    const signal = AbortSignal.timeout(compareMaxMs);
    const count = async (paths: string[]): Promise<Found[]> => {
      const arriving = own.map(({ table, blob }, at) => located(table, blob, paths[at] ?? ''));
      const present = others.map((file, at) => locate(file, paths[own.length + at] ?? ''));
      const sql = statementOf(arriving, present, replaced);
      return sql === undefined
        ? []
        : ((await engine.answer({ sql, parameters: [] }, signal)) as unknown as Found[]);
    };
    try {
      return await blobs.withLocal(sources, count, { signal });
    } catch (error) {
      const isSlow = signal.aborted || (error instanceof EngineError && error.code === 'TIME');
      if (isSlow) return [{ kind: 'unknown', ordinal: -1, count: 1 }];
      throw temporaryProblem(error) ?? error;
    }
  }

  /** Reports whether the comparison holds: the data are the same, or later files name none of these samples and patients. */
  async isCurrent(tx: Transaction): Promise<boolean> {
    if (this.#compared === undefined) return true;
    const { project } = this.#arriving;
    const { data_version: now } = await presentVersions(tx, project);
    if (now === this.#compared.data_version) return true;
    if (this.#found.length > 0 || this.#replaced > 0) return false;
    const mayShare = sharesNames(this.#own);
    const later = await presentFiles(tx, project, [...compared.keys()], this.#compared.version);
    return !later.some(mayShare);
  }

  /** Warnings for the arriving ingestion. */
  get remarks(): string[] {
    const total = (kind: string): number =>
      this.#found
        .filter((one) => one.kind === kind)
        .reduce((most, one) => Math.max(most, Number(one.count)), 0);
    return Object.entries(words).flatMap(([kind, { remark }]) => {
      const count = total(kind);
      return count > 0 ? [remark(count)] : [];
    });
  }

  /** Adds a warning to each earlier ingestion whose samples get another patient. */
  async warnEarlier(tx: Transaction): Promise<void> {
    const moved = this.#found.filter(({ kind }) => kind === 'patient').slice(0, warnedMax);
    for (const { ordinal, count } of moved) {
      const of = await ingestionOf(tx, this.#arriving.project, Number(ordinal));
      if (!of) continue;
      const warnings = JSON.parse(of.warnings ?? '[]') as { message: string }[];
      const kept = [{ message: laterPatient(Number(count)) }, ...warnings].slice(0, keptMax);
      await tx
        .updateTable('ingestions')
        .set({ warnings: JSON.stringify(kept), warning_count: of.warning_count + 1 })
        .where('id', '=', of.id)
        .execute();
    }
  }
}

/** Returns a test whether a file may name a sample or patient of these: digests of few names are among their bounds. */
function sharesNames(own: Arriving['segments']): (file: LakeFile) => boolean {
  const about = ({ table }: { table: string }): string => compared.get(table)?.about ?? '';
  const arriving = Map.groupBy(own, about);
  return (file) =>
    (arriving.get(about(file)) ?? []).some(({ table, bounds }) => {
      const names = namesIn(table, bounds);
      const present = namesIn(file.table, file.bounds && JSON.parse(file.bounds));
      return !names || !present || !names.isDisjointFrom(present);
    });
}

/** Returns the digests of the names in a file; undefined if they are unknown. */
function namesIn(table: string, bounds: Bounds | undefined): Set<string> | undefined {
  const bound = bounds?.[compared.get(table)?.key ?? ''];
  return bound && 'among' in bound ? new Set(bound.among) : undefined;
}

const samples = (count: number): string => (count === 1 ? '1 sample' : `${count} samples`);

const remedy =
  'A sample with two patients has none: SELECT id FROM sequence WHERE patient_id IS NULL. The list of samples (PUT /v1/projects/{id}/samples) decides.';

const laterPatient = (count: number): string =>
  `A later ingestion has another patient for ${samples(count)} of this file. ${remedy}`;

const words: Readonly<Record<string, { remark: (count: number) => string }>> = {
  patient: {
    remark: (count) =>
      `An earlier ingestion has another patient for ${samples(count)} of this file. ${remedy}`,
  },
  values: {
    remark: (count) =>
      `An earlier ingestion has another specimen, test type or sequence type for ${samples(count)} of this file: the latest values are shown.`,
  },
  unknown: {
    remark: () =>
      'The samples and patients of this file were not compared with those of earlier ingestions: it took too long.',
  },
  person: {
    remark: (count) =>
      `An earlier ingestion has another gender or birth date for ${count} patient${count === 1 ? '' : 's'} of this file: those of the current version are shown.`,
  },
};

function located(table: string, blob: LakeFile['blob'], path: string): LocatedFile {
  const file: LakeFile = {
    ...{
      table,
      blob,
      ingestionId: '',
      ordinal: -1,
      segments: 1,
      rowCount: 1,
      fileRows: null,
      ordinals: null,
    },
    ...{ genomeBuild: null, recordedAt: 0, source: '', ownColumns: null },
  };
  return locate(file, path);
}

/** Counts contradictions by their kind and the earlier ingestion. */
function statementOf(
  arriving: LocatedFile[],
  present: LocatedFile[],
  replaced: number[],
): string | undefined {
  const of = (files: LocatedFile[], table: string, columns: string): string[] => {
    const own = files.filter((file) => file.table === table);
    return own.length === 0 ? [] : [`SELECT * FROM ${rowsWithOrdinal(own, columns)}`];
  };
  const isOther = `o._ordinal NOT IN (${[-1, ...replaced].join(', ')})`;
  const counted = (kind: string, own: string[], other: string[], test: string): string[] =>
    own.length === 0 || other.length === 0
      ? []
      : [
          `SELECT ${literal(kind)} AS kind, o._ordinal AS ordinal, count(DISTINCT n.id) AS count
            FROM (${own.join(' UNION ALL ')}) AS n JOIN (${other.join(' UNION ALL ')}) AS o ON o.id = n.id
            WHERE ${isOther} AND (${test}) GROUP BY ALL`,
        ];
  const patients = (files: LocatedFile[]) => [
    ...of(files, sequence.name, 'id, patient_id'),
    ...of(files, sampleLink.name, 'sample_name AS id, patient_id'),
  ];
  const values = 'id, specimen_id, test_type, sequence_type';
  const person = 'patient_id AS id, gender, birth_date';
  const differ = (...names: string[]) => names.map((name) => `n.${name} <> o.${name}`).join(' OR ');
  const parts = [
    ...counted('patient', patients(arriving), patients(present), differ('patient_id')),
    ...counted(
      'values',
      of(arriving, sequence.name, values),
      of(present, sequence.name, values),
      differ('specimen_id', 'test_type', 'sequence_type'),
    ),
    ...counted(
      'person',
      of(arriving, demographic.name, person),
      of(present, demographic.name, person),
      differ('gender', 'birth_date'),
    ),
  ];
  return parts.length === 0 ? undefined : `${parts.join(' UNION ALL ')} ORDER BY 1, 2`;
}

async function ordinalsOf(read: Reader, project: string, fileId: string): Promise<number[]> {
  const rows = await read
    .selectFrom('segments')
    .select('ordinal')
    .distinct()
    .where('source_file_id', '=', fileId)
    .where('project_id', '=', project)
    .where('removed_version', 'is', null)
    .execute();
  return rows.map(({ ordinal }) => ordinal);
}

async function ingestionOf(tx: Transaction, project: string, ordinal: number) {
  return tx
    .selectFrom('segments')
    .innerJoin('ingestions', 'ingestions.id', 'segments.ingestion_id')
    .select(['ingestions.id', 'ingestions.warnings', 'ingestions.warning_count'])
    .where('segments.project_id', '=', project)
    .where('segments.ordinal', '=', ordinal)
    .where('segments.table_name', 'in', [sequence.name, sampleLink.name])
    .where('segments.removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
}
