import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { LakeRow } from '../analytics/random-lake.fixture.ts';
import type { Aggregate } from './aggregates.ts';
import { NaiveStudy } from './naive-study.fixture.ts';
import type { Node } from './node.ts';
import { genes, randomStudy } from './random-study.fixture.ts';
import { openStudyLake, type StudyLake } from './study-lake.fixture.ts';

const kinds = ['mutation', 'copy_number', 'fusion'];
const mutationClasses = ['truncating', 'inframe', 'missense', 'splice', 'promoter', 'other'];
const copyNumberClasses = ['amplification', 'deletion', 'gain', 'loss'];

interface Print {
  subjects: string[];
  patients: (string | null)[];
  patterns: string[];
  patternOf: string;
  genes: { gene: string; cells: string; changes: string[]; changeOf: string }[];
  tracks: { attribute: string; values: { value: string }[]; codes: string; numbers: string }[];
  expression: {
    gene: string;
    unit: string;
    isLog: boolean;
    mean: number;
    deviation: number;
    numbers: string;
  }[];
}

interface Pair {
  first: string;
  second: string;
  [count: string]: unknown;
}

const rows = randomStudy(23, 60);
const alterations = rows['alteration'] ?? [];
for (const [at, row] of alterations.entries()) row['status'] = [null, 'germline', 'somatic'][at % 3] ?? null;
const samples = [...new Set((rows['sequence'] ?? []).map(({ id }) => String(id)))];
rows['gene'] = samples.flatMap((sample_id, at): LakeRow[] => [
  { sample_id, gene_name: 'BRAF', expression: at % 7, expression_unit: 'tpm' },
  // A second run of the same sample, and a unit of few samples.
  ...(at % 5 === 0 ? [{ sample_id, gene_name: 'BRAF', expression: at, expression_unit: 'tpm' }] : []),
  ...(at < 3 ? [{ sample_id, gene_name: 'BRAF', expression: 1e6, expression_unit: 'npx' }] : []),
]);
const filter: Node = { not: { samples: ['s1', 's2'] } };

/** Returns the best of several alterations by the numbers of the packed code; 0 where there is none. */
const best = (numbers: number[]): number => (numbers.length === 0 ? 0 : Math.min(...numbers));
const judged = ({ driver }: LakeRow): number => (driver === 'driver' ? 0 : driver === 'passenger' ? 2 : 1);

/** Computes the code of a cell from the alterations of a subject. */
function codeOf(list: LakeRow[]): number {
  const of = (kind: string) => list.filter((row) => row['kind'] === kind);
  const mutation = of('mutation').map(
    (row) =>
      judged(row) * 16 +
      (mutationClasses.indexOf(String(row['class'])) + 1 || 6) * 2 +
      (row['status'] === 'germline' ? 0 : 1),
  );
  const copies = of('copy_number').map(
    (row) => (copyNumberClasses.indexOf(String(row['class'])) + 1) * 4 + judged(row),
  );
  return best(mutation) + 64 * best(copies) + 2048 * best(of('fusion').map((row) => judged(row) + 1));
}

const numbersIn = (text: string): (number | null)[] =>
  text.split(',').map((one) => (one === '' ? null : Number(one)));

describe('oncoprints', () => {
  let lake: StudyLake;
  before(async () => {
    lake = await openStudyLake(rows);
  });
  after(() => lake.close());

  const ask = async <R>(unit: 'sample' | 'patient', aggregate: object, countsMin = 0): Promise<R> => {
    const aggregates = [{ ...aggregate, id: 'x' } as Aggregate];
    const answer = await lake.study.answer(
      { unit, filter, aggregates, cohortIds: [] },
      lake.asking(countsMin),
    );
    return answer.results['x'] as R;
  };

  for (const unit of ['sample', 'patient'] as const) {
    const naive = new NaiveStudy(rows, unit);
    const subjects = naive.matching(filter);
    for (const options of [
      {},
      { classes: ['missense', 'gain', 'fusion'] },
      { onlyDrivers: true },
      { withoutGermline: true },
    ] as { classes?: string[]; onlyDrivers?: true; withoutGermline?: true }[]) {
      const counting = (subject: string, gene: string): LakeRow[] =>
        naive
          .alterations(subject, { genes: [gene] })
          .filter((row) => options.classes?.includes(String(row['class'])) ?? row['class'] !== 'gain')
          .filter(({ driver }) => !options.onlyDrivers || driver === 'driver')
          .filter(({ status }) => !options.withoutGermline || status !== 'germline');

      test(`cells and patterns are those of the naive evaluation, by ${unit}, ${JSON.stringify(options)}`, async () => {
        const { oncoprint } = await ask<{ oncoprint: Print }>(unit, { kind: 'oncoprint', genes, ...options });
        assert.deepEqual(oncoprint.subjects, subjects);
        assert.deepEqual(
          oncoprint.patients,
          subjects.map((one) => naive.patientOf(one) ?? null),
        );
        const patternOf = numbersIn(oncoprint.patternOf);
        const digits = subjects.map((_, at) => oncoprint.patterns[patternOf[at] ?? -1]);
        const expected = subjects.map((one) =>
          genes
            .map((gene) =>
              kinds.reduce((sum, kind, at) => sum + (naive.profiled(one, kind, gene) ? 2 ** at : 0), 0),
            )
            .join(''),
        );
        assert.deepEqual(digits, expected);
        let cellsFound = 0;
        for (const [at, { gene, cells, changes, changeOf }] of oncoprint.genes.entries()) {
          assert.equal(gene, genes[at]);
          const bytes = Buffer.from(cells, 'base64');
          const codes = new Map<number, number>();
          for (let from = 0; from < bytes.length; from += 4)
            codes.set(bytes.readUInt16BE(from), bytes.readUInt16BE(from + 2));
          for (const [place, one] of subjects.entries())
            assert.equal(codes.get(place) ?? 0, codeOf(counting(one, gene)), `${one} ${gene}`);
          const shown = [...codes.keys()].map(
            (place, cell) => [place, changes[Number(changeOf.split(',')[cell] || -1)]] as const,
          );
          for (const [place, change] of shown) {
            const mutations = counting(String(subjects[place]), gene).filter(
              ({ kind }) => kind === 'mutation',
            );
            const code = codeOf(mutations);
            const ofBest = mutations
              .filter((row) => codeOf([row]) === code)
              .map((row) => String(row['protein_change'] ?? ''));
            assert.equal(change ?? '', ofBest.sort()[0] ?? '');
          }
          cellsFound += codes.size;
        }
        assert.ok(cellsFound > 10, `${cellsFound}`);
      });

      test(`pairs of genes count the subjects profiled for both, by ${unit}, ${JSON.stringify(options)}`, async () => {
        const { pairs } = await ask<{ pairs: { items: Pair[] } }>(unit, { kind: 'pairs', genes, ...options });
        const isProfiled = (one: string, gene: string) =>
          kinds.some((kind) => naive.profiled(one, kind, gene));
        const isAltered = (one: string, gene: string) =>
          counting(one, gene).some((row) => naive.profiled(one, String(row['kind']), gene));
        const expected = genes.flatMap((first, at) =>
          genes.slice(at + 1).map((second) => {
            const examined = subjects.filter((one) => isProfiled(one, first) && isProfiled(one, second));
            const count = (a: boolean, b: boolean) =>
              examined.filter((one) => isAltered(one, first) === a && isAltered(one, second) === b).length;
            return {
              ...{ first, second, both: count(true, true), firstOnly: count(true, false) },
              ...{ secondOnly: count(false, true), neither: count(false, false) },
              leftOut: subjects.length - examined.length,
            };
          }),
        );
        assert.deepEqual(pairs.items, expected);
        assert.ok(expected.some(({ leftOut }) => leftOut > 0));
      });
    }

    test(`tracks have the values of each subject, by ${unit}`, async () => {
      const tracks = ['GRADE', 'AGE', 'condition.code'];
      const { oncoprint } = await ask<{ oncoprint: Print }>(unit, { kind: 'oncoprint', genes, tracks });
      for (const [at, track] of oncoprint.tracks.entries()) {
        assert.equal(track.attribute, tracks[at]);
        const codes = numbersIn(track.codes);
        const numbers = numbersIn(track.numbers);
        for (const [place, one] of subjects.entries()) {
          const values = naive.values(one, track.attribute);
          const texts = values.filter((value) => typeof value === 'string');
          const found = values.filter((value) => typeof value === 'number');
          const code = codes[place] ?? null;
          const expected = texts.length > 1 ? -1 : texts[0];
          assert.equal(
            code !== null && code >= 0 ? track.values[code]?.value : (code ?? undefined),
            expected,
          );
          assert.equal(
            numbers[place],
            found.length === 0 ? null : found.reduce((a, b) => a + b, 0) / found.length,
          );
        }
      }
    });
  }

  test('expression has the unit of most samples, and statistics over all of them', async () => {
    const { oncoprint } = await ask<{ oncoprint: Print }>('sample', {
      ...{ kind: 'oncoprint', genes, expression: ['TP53', 'BRAF'] },
    });
    const [found, ...others] = oncoprint.expression;
    assert.deepEqual([found?.gene, found?.unit, found?.isLog, others.length], ['BRAF', 'tpm', true, 0]);
    const averages = new Map(samples.map((one, at) => [one, at % 5 === 0 ? ((at % 7) + at) / 2 : at % 7]));
    assert.deepEqual(
      numbersIn(found?.numbers ?? ''),
      oncoprint.subjects.map((one) => averages.get(one) ?? null),
    );
    const logs = [...averages.values()].map((value) => Math.log2(value + 1));
    const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
    const deviation = Math.sqrt(logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (logs.length - 1));
    assert.ok(Math.abs((found?.mean ?? 0) - mean) < 1e-9);
    assert.ok(Math.abs((found?.deviation ?? 0) - deviation) < 1e-9);
  });

  test('single subjects are refused and pairs rounded where small counts are hidden', async () => {
    const { error } = await ask<{ error: { code: string } }>('sample', { kind: 'oncoprint', genes }, 5);
    assert.equal(error.code, 'SMALL_COUNTS_ONLY');
    const { pairs } = await ask<{ pairs: { items: Pair[] } }>('sample', { kind: 'pairs', genes }, 5);
    const numbers = pairs.items.flatMap(({ both, firstOnly, secondOnly, neither, leftOut }) => {
      assert.equal(leftOut, null);
      return [both, firstOnly, secondOnly, neither];
    });
    assert.ok(numbers.includes(null) && numbers.some((one) => typeof one === 'number'));
    assert.ok(
      numbers.every((one) => one === null || one === 0 || Number(one) % 5 === 0),
      `${numbers}`,
    );
  });
});
