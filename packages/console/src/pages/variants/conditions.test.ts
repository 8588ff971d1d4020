import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOneOf } from '../../api/where.ts';
import { variantWhere } from './conditions.ts';

test('a region is a chromosome, a place or a range, and any other text finds no variant', () => {
  const chromosome = isOneOf(['7', 'chr7']);
  const between = (from: number, to: number) => [{ operator: 'between', value: [from, to] }];
  const places: [string, object][] = [
    ['chr7', { chromosome }],
    ['7:140,753,336', { chromosome, position: between(140_753_336, 140_753_336) }],
    ['chr7: 1-20', { chromosome, position: between(1, 20) }],
    ['GL000220.1:1-20', { chromosome: isOneOf(['GL000220.1', 'chrGL000220.1']), position: between(1, 20) }],
    ['chr7:x', { chromosome: isOneOf(['7:x', 'chr7:x']) }],
    ['chr7:1-2-3', { chromosome: isOneOf(['7:1-2-3', 'chr7:1-2-3']) }],
  ];
  for (const [region, expected] of places) assert.deepEqual(variantWhere({ region }), { variant: expected });
  assert.equal(variantWhere({ region: ' ' }), undefined);
});
