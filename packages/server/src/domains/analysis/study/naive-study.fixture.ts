import { KnownCollections, readConditions } from '../analytics/index.ts';
import { Naive } from '../analytics/naive.fixture.ts';
import type { Cell, LakeRow, LakeRows } from '../analytics/random-lake.fixture.ts';
import type { Leaf, Node } from './node.ts';
import type { Range } from './shapes.ts';

type Test = Extract<Leaf, { alteration: unknown }>['alteration'];

/** Independent, simple evaluation of studies, subject by subject, without SQL. */
export class NaiveStudy {
  readonly #rows: LakeRows;
  readonly #unit: 'sample' | 'patient';
  readonly #naive: Naive;

  constructor(rows: LakeRows, unit: 'sample' | 'patient') {
    this.#rows = rows;
    this.#unit = unit;
    this.#naive = new Naive(rows, '2026-01-01');
  }

  of(table: string): LakeRow[] {
    return this.#rows[table] ?? [];
  }

  /** Returns the ids of all subjects. */
  everyone(): string[] {
    const ids =
      this.#unit === 'sample'
        ? this.of('sequence').map(({ id }) => id)
        : this.#naive.patients({ kind: 'all' });
    return [...new Set(ids)].filter((id) => typeof id === 'string').sort();
  }

  /** Returns the ids of the subjects that pass a filter. */
  matching(filter: Node): string[] {
    return this.everyone().filter((id) => this.#holds(filter, id, false));
  }

  samplesOf(subject: string): string[] {
    if (this.#unit === 'sample') return [subject];
    return this.of('sequence').flatMap(({ id, patient_id }) => (patient_id === subject ? [String(id)] : []));
  }

  patientOf(subject: string): string | undefined {
    if (this.#unit === 'patient') return subject;
    const patient = this.of('sequence').find(({ id }) => id === subject)?.['patient_id'];
    return typeof patient === 'string' ? patient : undefined;
  }

  /** Returns the distinct values of an attribute, numbers where they are numbers. */
  values(subject: string, attribute: string): (string | number)[] {
    const found = this.#cells(subject, attribute);
    return [...new Set(found.filter((one) => typeof one === 'string' || typeof one === 'number'))];
  }

  #cells(subject: string, attribute: string): (Cell | undefined)[] {
    const patient = this.patientOf(subject);
    const samples = this.samplesOf(subject);
    const ofPatient = (table: string, column: string) =>
      this.of(table)
        .filter((row) => patient !== undefined && row['patient_id'] === patient)
        .map((row) => row[column]);
    switch (attribute) {
      case 'patient.gender':
        return ofPatient('demographic', 'gender');
      case 'condition.code':
        return this.of('condition')
          .filter((row) => row['patient_id'] === patient && row['verification_status'] !== 'refuted')
          .map((row) => row['code']);
      case 'patient.birth_year':
        return ofPatient('demographic', 'birth_date').map((date) =>
          typeof date === 'string' ? Number(date.slice(0, 4)) : null,
        );
      case 'sample.test_type':
        return this.of('sequence')
          .filter(({ id }) => samples.includes(String(id)))
          .map((row) => row['test_type']);
      default:
        return this.of('attribute_value')
          .filter((row) => row['attribute_id'] === attribute)
          .filter((row) =>
            row['sample_id'] === null
              ? row['patient_id'] === patient
              : samples.includes(String(row['sample_id'])),
          )
          .map((row) => row['number'] ?? row['value']);
    }
  }

  alterations(subject: string, test: Test): LakeRow[] {
    const samples = this.samplesOf(subject);
    return this.of('alteration').filter(
      (row) => samples.includes(String(row['sample_id'])) && passes(row, test),
    );
  }

  /** Returns the treatments of a patient whose agent is known. */
  treatments(patient: string): { agent: string; first: number; last: number }[] {
    return this.of('timeline_event').flatMap((row) => {
      const agent: unknown = JSON.parse(String(row['attributes'])).AGENT;
      if (row['patient_id'] !== patient || row['type'] !== 'TREATMENT' || typeof agent !== 'string')
        return [];
      const first = Number(row['start_day']);
      return [{ agent, first, last: row['stop_day'] === null ? first : Number(row['stop_day']) }];
    });
  }

  /** Reports whether one of the subject's samples is profiled for the kinds, on panels that have the gene. */
  profiled(subject: string, kind: string, gene?: string, panel?: string): boolean {
    return this.samplesOf(subject).some((sample) => this.#isProfiled(sample, kind, gene, panel));
  }

  #isProfiled(sample: string, kind: string, gene?: string, panel?: string): boolean {
    const has = (panel: unknown) =>
      this.of('gene_panel').some((row) => row['panel_id'] === panel && row['gene'] === gene);
    return this.of('sample_profile').some(
      (row) =>
        row['sample_id'] === sample &&
        row['kind'] === kind &&
        (panel === undefined || row['panel_id'] === panel) &&
        (gene === undefined || row['panel_id'] === null || has(row['panel_id'])),
    );
  }

  #isKnown(subject: string, { genes, kinds = ['mutation', 'copy_number', 'fusion'] }: Test): boolean {
    const present = kinds.filter((kind) => this.of('sample_profile').some((row) => row['kind'] === kind));
    if (present.length === 0) return false;
    return this.samplesOf(subject).some((sample) =>
      present.every((kind) => (genes ?? [undefined]).every((gene) => this.#isProfiled(sample, kind, gene))),
    );
  }

  #holds(node: Node, subject: string, includes: boolean): boolean {
    if ('and' in node) return node.and.every((part) => this.#holds(part, subject, includes));
    if ('or' in node) return node.or.some((part) => this.#holds(part, subject, includes));
    if ('not' in node) return this.#fails(node.not, subject, includes || node.unprofiled === 'include');
    return this.#passes(node, subject);
  }

  /** Reports whether a subject is known not to pass. */
  #fails(node: Node, subject: string, includes: boolean): boolean {
    if ('and' in node) return node.and.some((part) => this.#fails(part, subject, includes));
    if ('or' in node) return node.or.every((part) => this.#fails(part, subject, includes));
    if ('not' in node) return this.#holds(node.not, subject, includes || node.unprofiled === 'include');
    const isUnknown = 'alteration' in node && !includes && !this.#isKnown(subject, node.alteration);
    return !isUnknown && !this.#passes(node, subject);
  }

  #passes(leaf: Leaf, subject: string): boolean {
    const patient = this.patientOf(subject);
    const samples = this.samplesOf(subject);
    if ('attribute' in leaf) {
      const values = this.values(subject, leaf.attribute);
      if (values.length === 0) return leaf.na === true;
      return values.some((value) =>
        typeof value === 'number'
          ? (leaf.ranges ?? []).some((range) => within(value, range)) ||
            (leaf.in?.includes(String(value)) ?? false)
          : (leaf.in?.includes(value) ?? false),
      );
    }
    if ('alteration' in leaf) return this.alterations(subject, leaf.alteration).length > 0;
    if ('profiled' in leaf) {
      const { kind, gene, panel } = leaf.profiled;
      return this.profiled(subject, kind, gene, panel);
    }
    if ('region' in leaf) {
      const [x, y] = [leaf.region.x, leaf.region.y].map((axis) => {
        const found = this.values(subject, axis).filter((one) => typeof one === 'number');
        return found.reduce((sum, one) => sum + one, 0) / found.length;
      });
      return x !== undefined && y !== undefined && isWithin({ x, y }, leaf.region.corners);
    }
    if ('list' in leaf) return [...samples, patient].some((id) => id !== undefined && leaf.list.includes(id));
    if ('samples' in leaf) return samples.some((sample) => leaf.samples.includes(sample));
    if (patient === undefined) return false;
    if ('patients' in leaf) return leaf.patients.includes(patient);
    if ('event' in leaf) {
      const { type, countMin = 1, fromDay = -1e9, toDay = 1e9 } = leaf.event;
      const events = this.of('timeline_event').filter(
        (row) =>
          row['patient_id'] === patient &&
          row['type'] === type &&
          Number(row['start_day']) >= fromDay &&
          Number(row['start_day']) <= toDay,
      );
      return events.length >= countMin;
    }
    if ('treatment' in leaf) {
      const { agents, countMin = 1, fromDay = -1e9, toDay = 1e9 } = leaf.treatment;
      const treatments = this.treatments(patient).filter(
        ({ agent, first, last }) => (agents?.includes(agent) ?? true) && last >= fromDay && first <= toDay,
      );
      return treatments.length >= countMin;
    }
    if ('where' in leaf)
      return this.#naive.patients(readConditions(leaf.where, '', new KnownCollections())).includes(patient);
    return false;
  }
}

/** Reports whether a point is in a polygon: an odd number of sides is right of it. Whole numbers are exact here. */
function isWithin({ x, y }: Corner, corners: readonly Corner[]): boolean {
  if (Number.isNaN(x) || Number.isNaN(y)) return false;
  let crossed = 0;
  for (const [at, one] of corners.entries()) {
    const other = corners[(at + 1) % corners.length] ?? one;
    const [low, high] = one.y <= other.y ? [one, other] : [other, one];
    if (!(low.y <= y && y < high.y)) continue;
    // The side is right of the point where the point is left of it on the way up.
    const turn = (high.x - low.x) * (y - low.y) - (x - low.x) * (high.y - low.y);
    if (turn > 0) crossed += 1;
  }
  return crossed % 2 === 1;
}

interface Corner {
  x: number;
  y: number;
}

/** Reports whether a number is in a range. */
export function within(value: number, { gt, gte, lt, lte }: Range): boolean {
  return (
    (gt === undefined || value > gt) &&
    (gte === undefined || value >= gte) &&
    (lt === undefined || value < lt) &&
    (lte === undefined || value <= lte)
  );
}

/** Reports whether an alteration counts by a choice. */
function isCounted(row: LakeRow, counts: Test['counts'] = 'all'): boolean {
  const words = String(row['clinical_significance']).split(/[/|]/);
  const isPathogenic = words.some((word) =>
    ['Pathogenic', 'Likely_pathogenic', 'Likely pathogenic'].includes(word),
  );
  const isWeak = row['kind'] === 'copy_number' && row['class'] === 'gain';
  return { all: true, drivers: row['driver'] === 'driver', pathogenic: isPathogenic, nonSilent: !isWeak }[
    counts
  ];
}

function passes(row: LakeRow, test: Test): boolean {
  const change = String(row['protein_change'] ?? '').replace('p.', '');
  const residue = Number(/\d+/.exec(change)?.[0] ?? Number.NaN);
  const {
    genes,
    kinds,
    classes,
    proteinChanges,
    notProteinChanges,
    proteinPositions,
    driver,
    alleleFractionMin,
    counts,
  } = test;
  const plain = (list: readonly string[]) => list.map((one) => one.replace('p.', ''));
  return [
    genes?.includes(String(row['gene'])) ?? true,
    kinds?.some((kind) => kind === row['kind']) ?? true,
    classes?.includes(String(row['class'])) ?? true,
    proteinChanges === undefined || plain(proteinChanges).includes(change),
    notProteinChanges === undefined || (change !== '' && !plain(notProteinChanges).includes(change)),
    proteinPositions?.from === undefined || residue >= proteinPositions.from,
    proteinPositions?.to === undefined || residue <= proteinPositions.to,
    driver === undefined || row['driver'] === driver,
    isCounted(row, counts),
    alleleFractionMin === undefined ||
      (typeof row['allele_fraction'] === 'number' && row['allele_fraction'] >= alleleFractionMin),
  ].every(Boolean);
}
