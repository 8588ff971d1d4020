import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printColours } from '../../../design/palette.ts';
import type { Print } from './decode.ts';
import { Columns, rowsOf } from './geometry.ts';
import { shareText } from './labels.ts';
import { draw, drawnLines, type Scene, valueColour } from './paint.ts';

const count = 1000;
/** Makes a scene of one gene and one track; every tenth subject is amplified, three of four have the first value. */
function sceneOf(wide: number): Scene {
  const places = [...Array(count).keys()];
  const print: Print = {
    ...{ subjects: places.map(String), patients: places.map(String), heats: [], hasJudgements: false },
    genes: [
      {
        ...{ name: 'A', genes: ['A'], changes: [], changeOf: new Int32Array(), altered: new Uint16Array() },
        codes: Uint16Array.from(places, (place) => (place % 10 === 0 ? 64 * 5 : 0)),
        profiled: new Uint8Array(count).fill(7),
      },
    ],
    tracks: [
      {
        ...{ attribute: 'a', values: [], numbers: new Float64Array(count).fill(Number.NaN), low: 1, high: 0 },
        codes: Int8Array.from(places, (place) => (place % 4 === 3 ? 1 : 0)),
      },
    ],
  };
  const columns = new Columns(count, wide, [{ name: '', from: 0, to: count, shares: [] }]);
  const rows = rowsOf([[0]], [0], [], { geneHeight: 20, hasGroups: false });
  return {
    print,
    order: Uint32Array.from(places),
    rows,
    columns,
    colours: printColours.usual,
    hasBlanks: true,
  };
}

const widthsOf = (scene: Scene, colour: string, left = 0, width = 1000): number[] => {
  const part = { left, top: 0, width, height: 100, grain: 1 };
  const rects = draw(scene, part).batches.find((batch) => batch.colour === colour)?.rects ?? [];
  return rects.filter((_, at) => at % 4 === 2);
};

test('every alteration has a mark of a pixel at least, however narrow the columns are', () => {
  assert.deepEqual(widthsOf(sceneOf(0.2), '#ff0000'), Array(100).fill(1));
  assert.deepEqual(widthsOf(sceneOf(1), '#ff0000').length, 100);
});

test('a track shows the most frequent value of the subjects that share a pixel', () => {
  assert.equal(widthsOf(sceneOf(0.125), valueColour(1)).length, 0);
  const width = widthsOf(sceneOf(0.125), valueColour(0)).reduce((sum, one) => sum + one, 0);
  assert.ok(Math.abs(width - 125) <= 1, `${width}`);
});

test('only the part in view is drawn', () => {
  const all = widthsOf(sceneOf(10), '#ff0000', 0, 10_000).length;
  const part = widthsOf(sceneOf(10), '#ff0000', 5000, 500).length;
  assert.deepEqual([all, part], [100, 6]);
});

test('shares have N/P without profiled subjects, a decimal below 3 %, and 100 % for all alone', () => {
  const texts = [
    [0, 0],
    [1, 40],
    [1, 10],
    [999, 1000],
    [5, 5],
  ].map(([altered = 0, profiled = 0]) => shareText({ altered, profiled }));
  assert.deepEqual(texts, ['N/P', '2.5%', '10%', '>99%', '100%']);
});

test('lines that are drawn one by one have the rectangles of the whole', () => {
  const part = { left: 0, top: 0, width: 1000, height: 100, grain: 1 };
  const areas = (batches: readonly { colour: string; rects: number[] }[]): Record<string, number> => {
    const sums: Record<string, number> = {};
    for (const { colour, rects } of batches)
      for (let at = 0; at < rects.length; at += 4)
        sums[colour] = (sums[colour] ?? 0) + (rects[at + 2] ?? 0) * (rects[at + 3] ?? 0);
    return sums;
  };
  const lines = [...drawnLines(sceneOf(1), part)];
  assert.equal(lines.length, 2 + 1);
  assert.deepEqual(areas(lines.flatMap(({ batches }) => batches)), areas(draw(sceneOf(1), part).batches));
});
