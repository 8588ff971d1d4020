import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import type { Aggregate } from './aggregates.ts';
import { NaiveStudy, within } from './naive-study.fixture.ts';
import type { Node } from './node.ts';
import { filters, genes, randomStudy } from './random-study.fixture.ts';
import type { Range } from './shapes.ts';
import type { StudyAnswer } from './study.ts';
import { openStudyLake, type StudyLake } from './study-lake.fixture.ts';

const rows = randomStudy(11, 40);

/** Results of the kinds that are compared here. */
interface Answered {
  n: Pick<Result, 'count'>;
  grade: Pick<Result, 'values'>;
  code: Pick<Result, 'values'>;
  age: Pick<Result, 'bins'>;
  year: Pick<Result, 'bins'>;
  mutation: Pick<Result, 'genes'>;
  copies: Pick<Result, 'genes'>;
  pathogenic: Pick<Result, 'genes'>;
  strong: Pick<Result, 'genes'>;
  filled: Pick<Result, 'coverage'>;
  preview: Pick<Result, 'coverage'>;
  profiles: Pick<Result, 'profiles'>;
}

interface Result {
  count: { samples: number; patients: number };
  values: { items: { value: string; count: number }[]; other: { values: number; count: number }; na: number };
  bins: {
    bars: { range?: Range; text?: string; count: number }[];
    na: number;
    numbers?: { count: number; mean: number; low: number; high: number };
  };
  coverage: { items: ({ attribute: string; count: number } & Partial<Pick<Result, 'values' | 'bins'>>)[] };
  genes: { items: object[]; genes: number; profiled: number };
  profiles: { items: { kind: string; panel?: string; count: number }[]; names: number };
}

describe('meaning of requests of studies', () => {
  let lake: StudyLake;

  before(async () => {
    lake = await openStudyLake(rows);
  });
  after(() => lake.close());

  const ask = async (
    unit: 'sample' | 'patient',
    filter: Node,
    aggregates: Aggregate[],
    countsMin = 0,
  ): Promise<Pick<StudyAnswer, 'matched'> & { results: Answered }> =>
    lake.study.answer({ unit, filter, aggregates, cohortIds: [] }, lake.asking(countsMin)) as Promise<never>;

  for (const unit of ['sample', 'patient'] as const) {
    const naive = new NaiveStudy(rows, unit);

    test(`any tree of tests finds the same subjects as the naive evaluation, by ${unit}`, async () => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(filters, async (filter) => {
          const page = { rowsMax: 1000, after: undefined };
          const listed = await lake.study.subjects({ unit, filter }, page, lake.asking());
          const ids = listed.map((one) => (unit === 'sample' ? one.sampleId : one.patientId));
          assert.deepEqual(ids, naive.matching(filter));
          found += ids.length;
        }),
        { numRuns: 150 },
      );
      assert.ok(found > 500, `${found} found`);
    });

    test(`counts, values, bars and genes are those of the naive evaluation, by ${unit}`, async () => {
      await fc.assert(
        fc.asyncProperty(filters, async (filter) => {
          const subjects = naive.matching(filter);
          const { matched, results } = await ask(unit, filter, [
            { id: 'n', kind: 'count' },
            { id: 'grade', kind: 'values', attribute: 'GRADE' },
            { id: 'code', kind: 'values', attribute: 'condition.code', top: 2 },
            { id: 'age', kind: 'bins', attribute: 'AGE' },
            { id: 'year', kind: 'bins', attribute: 'patient.birth_year' },
            { id: 'mutation', kind: 'genes', alteration: 'mutation' },
            { id: 'copies', kind: 'genes', alteration: 'copy_number', classes: ['gain', 'deletion'] },
            { id: 'pathogenic', kind: 'genes', alteration: 'mutation', counts: 'pathogenic' },
            { id: 'strong', kind: 'genes', alteration: 'copy_number' },
            { id: 'filled', kind: 'coverage' },
            { id: 'profiles', kind: 'profiles' },
            { id: 'preview', kind: 'coverage', attributes: ['AGE', 'GRADE', 'nothing'] },
          ]);
          const patients = new Set(subjects.flatMap((one) => naive.patientOf(one) ?? []));
          const samples = new Set(subjects.flatMap((one) => naive.samplesOf(one)));
          assert.deepEqual(matched, { samples: samples.size, patients: patients.size });
          assert.deepEqual(results.n.count, matched);
          for (const [id, attribute] of [
            ['grade', 'GRADE'],
            ['code', 'condition.code'],
          ] as const) {
            const { items, other, na } = results[id].values;
            const holding = (test: (values: (string | number)[]) => boolean) =>
              subjects.filter((one) => test(naive.values(one, attribute))).length;
            for (const { value, count } of items)
              assert.equal(
                count,
                holding((values) => values.includes(value)),
              );
            const shown = items.map(({ value }: { value: string }) => value);
            const rest = new Set(
              subjects
                .flatMap((one) => naive.values(one, attribute))
                .filter((one) => !shown.includes(String(one))),
            );
            assert.deepEqual(other, {
              values: rest.size,
              count: holding((values) => values.some((one) => rest.has(one))),
            });
            assert.equal(
              na,
              holding((values) => values.length === 0),
            );
          }
          for (const [id, attribute] of [
            ['age', 'AGE'],
            ['year', 'patient.birth_year'],
          ] as const) {
            const { bars, na } = results[id].bins;
            const held = (subject: string, { range, text }: { range?: Range; text?: string }) =>
              naive
                .values(subject, attribute)
                .some((value) =>
                  typeof value === 'number' ? range !== undefined && within(value, range) : value === text,
                );
            for (const bar of bars) assert.equal(bar.count, subjects.filter((one) => held(one, bar)).length);
            for (const one of subjects) {
              const values = naive.values(one, attribute);
              assert.equal(
                bars.filter((bar: object) => held(one, bar)).length,
                values.length,
                'each value is in one bar',
              );
            }
            assert.equal(na, subjects.filter((one) => naive.values(one, attribute).length === 0).length);
          }
          const ages = subjects
            .flatMap((one) => naive.values(one, 'AGE'))
            .filter((one) => typeof one === 'number');
          const { numbers } = results.age.bins;
          if (ages.length === 0) assert.equal(numbers, undefined);
          else {
            assert.deepEqual(
              [numbers?.count, numbers?.low, numbers?.high],
              [ages.length, Math.min(...ages), Math.max(...ages)],
            );
            const mean = ages.reduce((sum, one) => sum + one, 0) / ages.length;
            assert.ok(Math.abs((numbers?.mean ?? 0) - mean) < 1e-9);
          }
          const filled = new Map(
            results.filled.coverage.items.map(({ attribute, count }) => [attribute, count]),
          );
          for (const attribute of [
            'GRADE',
            'AGE',
            'MONTHS',
            'patient.gender',
            'condition.code',
            'sample.test_type',
          ])
            assert.equal(
              filled.get(attribute) ?? 0,
              subjects.filter((one) => naive.values(one, attribute).length > 0).length,
              attribute,
            );
          const { items: profiled, names } = results.profiles.profiles;
          assert.equal(names, profiled.length);
          for (const { kind, panel, count } of profiled)
            assert.equal(count, subjects.filter((one) => naive.profiled(one, kind, undefined, panel)).length);
          for (const { attribute, bins, values } of results.preview.coverage.items) {
            if (attribute === 'AGE') assert.deepEqual(bins, results.age.bins);
            else assert.deepEqual(values, results.grade.values);
          }
          for (const [id, kind, classes, counts] of [
            ['mutation', 'mutation', undefined, undefined],
            ['copies', 'copy_number', ['gain', 'deletion'], undefined],
            ['pathogenic', 'mutation', undefined, 'pathogenic'],
            ['strong', 'copy_number', ['amplification', 'deletion'], undefined],
          ] as const) {
            const { items, profiled } = results[id].genes;
            assert.equal(profiled, subjects.filter((one) => naive.profiled(one, kind)).length);
            const expected = genes.flatMap((gene) =>
              (classes ?? [undefined]).flatMap((class_) => {
                const test = {
                  genes: [gene],
                  kinds: [kind],
                  ...(class_ !== undefined && { classes: [class_] }),
                  ...(counts !== undefined && { counts }),
                };
                const altered = subjects.filter((one) => naive.alterations(one, test).length > 0);
                if (altered.length === 0) return [];
                const on = altered.filter((one) => naive.profiled(one, kind, gene)).length;
                const of = subjects.filter((one) => naive.profiled(one, kind, gene)).length;
                return [
                  {
                    ...{ gene, ...(class_ !== undefined && { class: class_ }) },
                    events: altered.reduce((sum, one) => sum + naive.alterations(one, test).length, 0),
                    ...{
                      altered: altered.length,
                      onPanel: on,
                      profiled: of,
                      percent: of === 0 ? null : (100 * on) / of,
                    },
                    ...(of === 0 && { reason: 'notProfiled' }),
                  },
                ];
              }),
            );
            const order = (list: object[]) =>
              list.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
            assert.deepEqual(order(items), order(expected));
          }
        }),
        { numRuns: 40 },
      );
    });

    for (const overlap of ['exclude', 'include'] as const) {
      test(`groups have the subjects of the naive evaluation, by ${unit}, overlap: ${overlap}`, async () => {
        let shared = 0;
        await fc.assert(
          fc.asyncProperty(
            filters,
            fc.array(filters, { minLength: 1, maxLength: 3 }),
            async (filter, list) => {
              const groups = list.map((one, at) => ({ id: `g${at}`, filter: one }));
              const aggregates: Aggregate[] = [{ id: 'grade', kind: 'values', attribute: 'GRADE' }];
              const request = { unit, filter, aggregates, cohortIds: [], groups, overlap };
              const answer = await lake.study.answer(request, lake.asking());
              const all = new Set(naive.matching(filter));
              const members = list.map((one) => naive.matching(one).filter((id) => all.has(id)));
              const times = Map.groupBy(members.flat(), (id) => id);
              const several = [...times].filter(([, of]) => of.length > 1).map(([id]) => id);
              shared += several.length;
              for (const [at, group] of (answer.groups ?? []).entries()) {
                const subjects = (members[at] ?? []).filter(
                  (id) => overlap === 'include' || !several.includes(id),
                );
                const samples = new Set(subjects.flatMap((one) => naive.samplesOf(one)));
                assert.equal(group.matched.samples, samples.size);
                const { values } = group.results['grade'] as Pick<Result, 'values'>;
                for (const { value, count } of values.items)
                  assert.equal(
                    count,
                    subjects.filter((one) => naive.values(one, 'GRADE').includes(value)).length,
                  );
                assert.equal(
                  values.na,
                  subjects.filter((one) => naive.values(one, 'GRADE').length === 0).length,
                );
              }
              if (groups.length > 1)
                assert.equal(
                  answer.overlapping?.samples,
                  new Set(several.flatMap((one) => naive.samplesOf(one))).size,
                );
            },
          ),
          { numRuns: 25, examples: [[{ and: [] }, [{ and: [] }, { and: [] }]]] },
        );
        assert.ok(shared > 20, `${shared} shared`);
      });
    }
  }
});
