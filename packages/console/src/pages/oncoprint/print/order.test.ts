import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clusterOrder } from './cluster.ts';
import { type Answer, decodePrint } from './decode.ts';
import { orderOf, type Sorting } from './order.ts';

/** Code of a cell (docs/analytics.md). */
const mutation = (type: number, judgement = 1, isGermline = false): number =>
  16 * judgement + 2 * type + (isGermline ? 0 : 1);
const copies = (type: number, judgement = 1): number => 64 * (4 * type + judgement);
const fusion = (judgement = 1): number => 2048 * (1 + judgement);

/** Makes an answer of genes × subjects; a subject without a digit is profiled for all. */
function answerOf(rows: number[][], digits?: string[]): Answer {
  const count = rows[0]?.length ?? 0;
  const subjects = Array.from({ length: count }, (_, at) => `s${at}`);
  return {
    ...{ subjects, patients: subjects, tracks: [], expression: [] },
    patterns: digits ?? subjects.map(() => '7'.repeat(rows.length)),
    patternOf: subjects.map((_, at) => at).join(','),
    genes: rows.map((codes, at) => {
      const cells = codes.flatMap((code, place) =>
        code === 0 ? [] : [place >> 8, place & 255, code >> 8, code & 255],
      );
      const altered = codes.filter((code) => code !== 0).length;
      return {
        gene: `G${at}`,
        cells: btoa(String.fromCharCode(...cells)),
        changes: [],
        changeOf: ','.repeat(Math.max(0, altered - 1)),
      };
    }),
  };
}

const sorting = (part: Partial<Sorting> = {}): Sorting => ({
  ...{ genes: [0], tracks: [], by: 'genes', byType: true, byDriver: true, gap: undefined },
  ...{ hideUnaltered: false, hideUnprofiled: false, given: [] },
  ...part,
});

const placesOf = (answer: Answer, part: Partial<Sorting> = {}): number[] => [
  ...orderOf(decodePrint(answer), sorting(part)).order,
];

test('one gene sorts by fusion, copy number, then mutation; drivers before others', () => {
  const wanted = [
    fusion(0),
    fusion(2),
    copies(1, 0),
    copies(2, 0),
    copies(1, 2),
    mutation(1, 0),
    mutation(4, 0),
    mutation(2, 0),
    mutation(5, 0),
    mutation(3, 0, true),
    mutation(3, 0),
    mutation(6, 0),
    mutation(1, 2),
    0,
  ];
  const shuffled = wanted.toReversed();
  assert.deepEqual(
    placesOf(answerOf([shuffled])).map((place) => shuffled[place]),
    wanted,
  );
});

test('types and drivers are equal where the reader does not separate them', () => {
  const cells = [mutation(3, 2), mutation(1, 0), 0, mutation(6, 1)];
  assert.deepEqual(placesOf(answerOf([cells]), { byType: false, byDriver: false }), [0, 1, 3, 2]);
});

test('subjects that are not profiled come last only among those equal in all genes', () => {
  const rows = [
    [0, 0, 0],
    [0, mutation(1), 0],
  ];
  assert.deepEqual(placesOf(answerOf(rows, ['07', '07', '77']), { genes: [0, 1] }), [1, 2, 0]);
});

test('the order of any print is that of its vectors, compared gene by gene', () => {
  const code = fc.constantFrom(0, fusion(0), copies(1, 2), mutation(3, 0), mutation(1, 2), mutation(1, 0));
  const rows = fc
    .integer({ min: 1, max: 40 })
    .chain((count) =>
      fc.array(fc.array(code, { minLength: count, maxLength: count }), { minLength: 1, maxLength: 4 }),
    );
  const ranks = [fusion(0), copies(1, 2), mutation(1, 0), mutation(3, 0), mutation(1, 2), 0];
  fc.assert(
    fc.property(rows, (given) => {
      const genes = [...given.keys()];
      const vectorOf = (place: number): string => given.map((row) => ranks.indexOf(row[place] ?? 0)).join('');
      const sorted = [...(given[0] ?? []).keys()].sort(
        (one, other) => vectorOf(one).localeCompare(vectorOf(other)) || one - other,
      );
      assert.deepEqual(placesOf(answerOf(given), { genes }), sorted);
    }),
  );
});

test('shares count alterations of the profiled only, and hidden subjects too', () => {
  const answer = answerOf([[mutation(1), mutation(1), 0, 0]], ['7', '0', '7', '2']);
  const { shares, total, order } = orderOf(
    decodePrint(answer),
    sorting({ hideUnaltered: true, hideUnprofiled: true }),
  );
  assert.deepEqual(shares, [{ altered: 1, profiled: 3 }]);
  assert.deepEqual(total, { altered: 1, profiled: 3 });
  assert.deepEqual([...order], [0]);
  const ofMutation = orderOf(decodePrint(answerOf([[mutation(1)]], ['2'])), sorting());
  assert.deepEqual(ofMutation.total, { altered: 0, profiled: 1 });
});

test('groups have gaps by nature, those without a value last, and shares of their own', () => {
  const answer = answerOf([[mutation(1), 0, 0, mutation(1)]]);
  answer.tracks = [
    {
      ...{ attribute: 'a', numbers: ',,,', codes: '0,1,,0' },
      values: [
        { value: 'stage 10', label: null },
        { value: 'stage 9', label: null },
      ],
    },
  ];
  const { groups, order } = orderOf(decodePrint(answer), sorting({ gap: 0 }));
  assert.deepEqual([...order], [1, 0, 3, 2]);
  assert.deepEqual(groups, [
    { name: 'stage 9', from: 0, to: 1, shares: [{ altered: 0, profiled: 1 }] },
    { name: 'stage 10', from: 1, to: 3, shares: [{ altered: 2, profiled: 2 }] },
    { name: 'No value', from: 3, to: 4, shares: [{ altered: 0, profiled: 1 }] },
  ]);
});

test('a track sorts numbers in both directions, with missing ones last', () => {
  const answer = answerOf([[0, 0, 0, 0]]);
  answer.tracks = [
    { attribute: 'a', numbers: '5,,-2,7', codes: ',0,,', values: [{ value: '>89', label: null }] },
  ];
  assert.deepEqual(placesOf(answer, { tracks: [{ track: 0, descending: false }] }), [2, 0, 3, 1]);
  assert.deepEqual(placesOf(answer, { tracks: [{ track: 0, descending: true }] }), [3, 0, 2, 1]);
  answer.tracks[0] = {
    attribute: 'a',
    numbers: ',5,,',
    codes: ',,0,',
    values: [{ value: 'x', label: null }],
  };
  assert.deepEqual(placesOf(answer, { tracks: [{ track: 0, descending: true }] }), [1, 2, 0, 3]);
});

test('a merged row has the strongest alteration of each kind', () => {
  const { genes } = decodePrint(
    answerOf([
      [mutation(3, 2), 0],
      [mutation(1, 0) + copies(1), fusion()],
    ]),
    [{ name: 'Both', genes: ['G0', 'G1'] }],
  );
  assert.deepEqual([...(genes[2]?.codes ?? [])], [mutation(1, 0) + copies(1), fusion()]);
});

test('clusters put like beside like, and vectors without a direction at one end', () => {
  const vectors = [
    [1, 2, 3, 4],
    [4, 3, 2, 1],
    [0, 0, 0, 0],
    [1, 2, 4, 5],
    [9, 5, 3, 2],
  ].map((one) => Float64Array.from(one));
  const order = clusterOrder(vectors);
  assert.deepEqual(order.toSorted(), [0, 1, 2, 3, 4]);
  const at = (vector: number): number => order.indexOf(vector);
  assert.equal(Math.abs(at(0) - at(3)), 1);
  assert.equal(Math.abs(at(1) - at(4)), 1);
  assert.ok(at(2) === 0 || at(2) === 4);
});
