import fc from 'fast-check';
import { randomOf } from '../../../../../../samples/generator/random.ts';
import { type LakeRows, randomLake } from '../analytics/random-lake.fixture.ts';
import { countings, type Node } from './node.ts';
import type { Range } from './shapes.ts';

export const genes = ['BRAF', 'TP53', 'KRAS', 'EGFR'];
const kinds = ['mutation', 'copy_number', 'fusion'];
const classes: Readonly<Record<string, readonly string[]>> = {
  mutation: ['missense', 'truncating', 'splice'],
  copy_number: ['amplification', 'gain', 'deletion'],
  fusion: ['fusion'],
};
/** Words of ClinVar, some of which hold the word pathogenic and do not mean so. */
const significances = [
  'Pathogenic',
  'Pathogenic/Likely_pathogenic',
  'drug_response|Likely pathogenic',
  'Conflicting_interpretations_of_pathogenicity',
  'non-pathogenic',
  'Benign',
];
export const grades = ['low', 'high', 'odd'];

/** Makes a small study with every kind of gap: patients of several samples, panels without genes, samples without patients. */
export function randomStudy(seed: number, patientsMax: number): LakeRows {
  const rows = randomLake(seed, patientsMax);
  const { next } = randomOf(seed + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const orNull = <T>(value: T): T | null => (next() < 0.2 ? null : value);
  for (let n = 0; n < patientsMax; n += 3)
    rows['sequence']?.push({ patient_id: `p${n}`, id: `t${n}`, test_type: pick(['WES', 'WGS']) });
  const samples = (rows['sequence'] ?? []).map((row) => String(row['id']));
  rows['gene_panel'] = ['BRAF', 'TP53'].map((gene) => ({ panel_id: 'one', description: null, gene }));
  rows['gene_panel'].push({ panel_id: 'two', description: null, gene: 'KRAS' });
  rows['sample_profile'] = samples.flatMap((sample_id) =>
    kinds
      // No sample is profiled for fusions.
      .filter((kind) => kind !== 'fusion' && next() < 0.8)
      .flatMap((kind) =>
        (next() < 0.2 ? ['one', 'two'] : [pick([null, 'one', 'two', 'unknown'])]).map((panel_id) => ({
          ...{ sample_id, kind, panel_id, assay: null },
        })),
      ),
  );
  rows['alteration'] = samples.flatMap((sample_id) =>
    Array.from({ length: Math.floor(next() * 5) }, () => {
      const kind = pick(kinds);
      return {
        ...{ sample_id, kind, gene: pick(genes), class: pick(classes[kind] ?? []) },
        protein_change: kind === 'mutation' ? pick([null, 'p.V600E', 'V600K', 'p.R175H']) : null,
        ...{
          driver: orNull(pick(['driver', 'passenger'])),
          allele_fraction: orNull(Math.round(next() * 10) / 10),
          clinical_significance: orNull(pick(significances)),
        },
      };
    }),
  );
  rows['attribute'] = [
    {
      attribute_id: 'GRADE',
      level: 'sample',
      name: 'Grade',
      type: 'string',
      unit: null,
      description: null,
      priority: 5,
    },
    {
      attribute_id: 'AGE',
      level: 'patient',
      name: 'Age',
      type: 'number',
      unit: null,
      description: null,
      priority: 5,
    },
    {
      attribute_id: 'MONTHS',
      level: 'patient',
      name: null,
      type: 'number',
      unit: null,
      description: null,
      priority: 5,
    },
    {
      attribute_id: 'STATUS',
      level: 'patient',
      name: null,
      type: 'string',
      unit: null,
      description: null,
      priority: 5,
    },
  ];
  const patients = [...Array(patientsMax).keys()].map((n) => `p${n}`);
  const value = (
    attribute_id: string,
    patient_id: string | null,
    sample_id: string | null,
    text: string,
    number: number | null = null,
  ) => ({
    ...{ attribute_id, patient_id, sample_id, value: text, number, is_shown: true },
  });
  rows['attribute_value'] = [
    ...samples.filter(() => next() < 0.8).map((id) => value('GRADE', null, id, pick(grades))),
    ...patients
      .filter(() => next() < 0.8)
      .map((id) => {
        const age = Math.floor(next() * 95);
        return age > 89 ? value('AGE', id, null, '>89') : value('AGE', id, null, String(age), age);
      }),
    ...patients
      .filter(() => next() < 0.9)
      .map((id) => {
        const months = Math.round(next() * 20);
        return value('MONTHS', id, null, String(months), months);
      }),
    ...patients
      .filter(() => next() < 0.9)
      .map((id) => value('STATUS', id, null, pick(['0:LIVING', '1:DECEASED']))),
  ];
  rows['timeline_event'] = patients.flatMap((patient_id) =>
    Array.from({ length: Math.floor(next() * 3) }, () => {
      const start_day = Math.floor(next() * 100);
      return {
        ...{ patient_id, sample_id: null, type: pick(['TREATMENT', 'SURGERY']), start_day },
        stop_day: next() < 0.5 ? null : start_day + Math.floor(next() * 50),
        attributes: JSON.stringify({ AGENT: pick(['A', 'B', undefined]) }),
      };
    }),
  );
  return rows;
}

const alteration = fc
  .record(
    {
      genes: fc.subarray(genes, { minLength: 1 }),
      kinds: fc.subarray(['mutation', 'copy_number', 'fusion'] as ('mutation' | 'copy_number' | 'fusion')[], {
        minLength: 1,
      }),
      classes: fc.subarray(['missense', 'amplification', 'deletion'], { minLength: 1 }),
      proteinChanges: fc.constant<string[]>(['V600E', 'p.R175H']),
      notProteinChanges: fc.constant<string[]>(['V600E']),
      proteinPositions: fc.constantFrom({ from: 600, to: 600 }, { to: 200 }),
      driver: fc.constantFrom('driver' as const, 'passenger' as const),
      alleleFractionMin: fc.constant(0.5),
      counts: fc.constantFrom(...countings),
    },
    { requiredKeys: [] },
  )
  .map((test) => ({ alteration: test }));

const leaf = fc.oneof<fc.Arbitrary<Node>[]>(
  fc.record({ attribute: fc.constant('GRADE'), in: fc.subarray(grades, { minLength: 1 }) }),
  fc.record({
    attribute: fc.constant('AGE'),
    ranges: fc.constantFrom<Range[]>([{ gt: 30, lte: 60 }], [{ lte: 18 }, { gte: 70, lte: 70 }]),
    na: fc.boolean(),
  }),
  fc.record({ attribute: fc.constant('AGE'), in: fc.constant<string[]>(['>89']) }),
  fc.record({
    attribute: fc.constant('patient.gender'),
    in: fc.constant<string[]>(['female']),
    na: fc.boolean(),
  }),
  fc.record({ attribute: fc.constant('condition.code'), in: fc.constantFrom<string[]>(['a'], ['b', 'c']) }),
  fc.record({ attribute: fc.constant('sample.test_type'), na: fc.constant(true) }),
  alteration,
  fc.record({
    profiled: fc.constantFrom<{ kind: 'mutation' | 'copy_number'; gene?: string; panel?: string }>(
      { kind: 'mutation' },
      { kind: 'mutation', gene: 'KRAS' },
      { kind: 'copy_number', gene: 'TP53' },
      { kind: 'mutation', panel: 'one' },
    ),
  }),
  fc.record({
    treatment: fc.constantFrom<{ agents?: string[]; countMin?: number; fromDay?: number; toDay?: number }>(
      {},
      { agents: ['A'] },
      { agents: ['A', 'B'], countMin: 2 },
      { agents: ['B'], fromDay: 50 },
      { fromDay: 20, toDay: 40 },
    ),
  }),
  fc.record({
    event: fc.constantFrom(
      { type: 'TREATMENT' },
      { type: 'SURGERY', countMin: 2 },
      { type: 'TREATMENT', fromDay: 20, toDay: 60 },
    ),
  }),
  fc.record({
    region: fc.record({
      ...{ x: fc.constant('AGE'), y: fc.constantFrom('MONTHS', 'AGE') },
      corners: fc.array(
        fc.record({ x: fc.integer({ min: -5, max: 100 }), y: fc.integer({ min: -5, max: 25 }) }),
        { minLength: 3, maxLength: 8 },
      ),
    }),
  }),
  fc.record({ list: fc.constant<string[]>(['s3', 'p4', 'p5', 'nowhere']) }),
  fc.record({ samples: fc.constant<string[]>(['s1', 's2', 't3', 'nowhere']) }),
  fc.record({ patients: fc.constant<string[]>(['p1', 'p2', 'p5']) }),
  fc.constant({ where: { patient: { conditions: { code: [{ operator: 'eq', value: 'a' }] } } } }),
);

/** Generates any tree of tests. */
export const { node: filters } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }).map((and): Node => ({ and })),
    fc.array(tie('node'), { maxLength: 3 }).map((or): Node => ({ or })),
    tie('node').map((not): Node => ({ not })),
    tie('node').map((not): Node => ({ not, unprofiled: 'include' })),
  ),
}));
