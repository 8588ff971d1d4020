import { type Column, engineTypes, tables } from '@ploidy/formats';
import { randomOf } from '../../../../../../samples/generator/random.ts';
import type { QueryTable } from '../../../../../engine/src/engine.ts';

export type Cell = string | number | boolean | null;
export type LakeRow = Record<string, Cell>;
export type LakeRows = Record<string, LakeRow[]>;

export const codes = ['a', 'b', 'c', 'd'];
export const genes = ['TTN', 'BRAF', 'EGFR'];

/** Site of a VCF without samples. */
const site = {
  chromosome: 'chr1',
  position: 102,
  reference: 'A',
  alternate: 'C',
  gene: 'TTN',
  impact: 'LOW',
};

/**
 * Makes a small lake with every kind of gap: patients without rows, rows without patients, missing values.
 */
export function randomLake(seed: number, patientsMax: number): LakeRows {
  const { next } = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const orNull = <T>(value: T): T | null => (next() < 0.15 ? null : value);
  const rows: LakeRows = {
    patient: [],
    demographic: [],
    condition: [],
    observation: [],
    sequence: [],
    variant: [],
    coding: [],
  };
  for (let n = 0; n < patientsMax; n++) {
    const patient_id = `p${n}`;
    if (next() < 0.9)
      rows['patient']?.push({
        patient_id,
        dob: orNull(`19${50 + Math.floor(next() * 50)}-0${1 + Math.floor(next() * 9)}-15`),
      });
    if (next() < 0.8)
      rows['demographic']?.push({
        patient_id,
        gender: orNull(pick(['male', 'female'])),
        birth_date: orNull(`${1930 + Math.floor(next() * 90)}-06-15`),
        deceased_date: next() < 0.2 ? '2022-06-14' : null,
        active: orNull(next() < 0.5),
      });
    for (let k = 0; k < next() * 4; k++) {
      const id = `c${n}-${k}`;
      rows['condition']?.push({
        patient_id,
        id,
        code: orNull(pick(codes)),
        verification_status: orNull(pick(['confirmed', 'refuted'])),
        onset_date: orNull(`20${10 + Math.floor(next() * 10)}-01-01`),
      });
      if (next() < 0.3)
        rows['coding']?.push({
          resource_type: 'Condition',
          resource_id: id,
          patient_id,
          path: 'code',
          system: 's',
          code: pick(codes),
          display: null,
        });
    }
    for (let k = 0; k < next() * 4; k++) addObservation(rows, patient_id, `o${n}-${k}`, next, pick, orNull);
    if (next() < 0.7) addSample(rows, next() < 0.9 ? patient_id : null, `s${n}`, next, pick, orNull);
  }
  rows['variant']?.push({ ...site, variant_id: 'site', sample_id: null });
  rows['condition']?.push({ patient_id: 'stranger', id: 'cx', code: 'a', onset_date: null });
  return rows;
}

type Pick = <T>(list: readonly T[]) => T;
type OrNull = <T>(value: T) => T | null;

function addObservation(
  rows: LakeRows,
  patient_id: string,
  id: string,
  next: () => number,
  pick: Pick,
  orNull: OrNull,
): void {
  const value = () => orNull(Math.round(next() * 100));
  rows['observation']?.push({
    patient_id,
    id,
    component_index: null,
    code: orNull(pick(codes)),
    value_quantity: value(),
    value_string: orNull(pick(['low', 'high'])),
  });
  for (let k = 0; k < next() * 3 - 1; k++) {
    rows['observation']?.push({
      patient_id,
      id,
      component_index: k,
      code: orNull(pick(codes)),
      value_quantity: value(),
      value_string: null,
    });
  }
}

function addSample(
  rows: LakeRows,
  patient_id: string | null,
  id: string,
  next: () => number,
  pick: Pick,
  orNull: OrNull,
): void {
  rows['sequence']?.push({
    patient_id,
    id,
    specimen_id: null,
    test_type: orNull(pick(['WES', 'WGS'])),
    sequence_type: null,
  });
  for (let k = 0; k < next() * 5; k++) {
    const position = 100 + Math.floor(next() * 5);
    rows['variant']?.push({
      variant_id: `${id}-${k}`,
      sample_id: id,
      chromosome: 'chr1',
      position,
      reference: 'A',
      alternate: pick(['C', 'G']),
      gene: orNull(pick(genes)),
      impact: orNull(pick(['HIGH', 'LOW'])),
      is_canonical: orNull(next() < 0.5),
    });
  }
}

/** Returns the rows as relations for the engine, with the columns of the tables. */
export function relationsOf(rows: LakeRows): QueryTable[] {
  return Object.entries(rows).map(([name, list]) => {
    const columns = tables.get(name)?.columns ?? [];
    const selects = list.map((row) => `SELECT ${columns.map((column) => cellOf(column, row)).join(', ')}`);
    return { name, files: [], sql: selects.join(' UNION ALL ') };
  });
}

function cellOf({ name, type }: Column, row: LakeRow): string {
  const value = row[name];
  const text = value === null || value === undefined ? 'NULL' : `'${value}'`;
  return `CAST(${text} AS ${engineTypes[type]}) AS "${name}"`;
}
