import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';
import { convertText } from './testing/conversion.ts';

const names = [
  'spec-v4.3.vcf.gz',
  'vep_clinvar_testset.vcf.gz',
  'snpeff_chr22.ann.vcf',
  '1kgPhase3.chr1.vcf.gz',
  'igv_cnv.vcf',
];
const roundsPerFile = 40;

test('a mutated real file gives rows or an InputError, nothing else', { skip: sharedDataSkip }, async () => {
  const random = generator(20260504);
  for (const name of names) {
    const stored = await readFile(sharedData(`vcf/${name}`));
    const text = name.endsWith('.gz') ? gunzipSync(stored) : stored;
    for (let round = 0; round < roundsPerFile; round += 1) {
      // Every eighth time the compressed bytes themselves are hit.
      const source = mutated(round % 8 === 0 ? stored : text, random);
      const onError = round % 2 === 0 ? 'skip' : 'fail';
      const seen = `${name}, round ${round}`;
      try {
        const { tables, variants, copies, fusions, sequences } = await convertText(source, { onError });
        const read = [variants, copies, fusions, sequences].reduce((sum, rows) => sum + rows.length, 0);
        const told = tables.reduce((sum, { rows }) => sum + rows, 0);
        assert.equal(told, read, seen);
      } catch (error) {
        assert.ok(error instanceof Error && error.name === 'InputError', `${seen}: ${error}`);
      }
    }
  }
});

/** A small deterministic source of numbers from 0 up to `below` (Numerical Recipes' linear congruence). */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const insertions = [
  '\t',
  '\n',
  '\r',
  '\t\t',
  ';',
  ',',
  '|',
  '=',
  '0',
  '.',
  '/',
  '<',
  '[',
  '#',
  '"',
  "'",
  '%',
  '\u0000',
  '\u0001',
  '\u00ff',
  '999999999999999999',
];

function mutated(bytes: Buffer, random: (below: number) => number): Buffer {
  let result = Buffer.from(bytes);
  for (let count = random(6) + 1; count > 0; count -= 1) {
    const at = random(result.length);
    const length = random(3) === 0 ? random(200) : 1;
    const insertion = Buffer.from(insertions[random(insertions.length)] ?? '', 'latin1');
    const parts = [
      [result.subarray(0, at), insertion, result.subarray(at)],
      [result.subarray(0, at), result.subarray(at + length)],
      [result.subarray(0, at), insertion, result.subarray(at + insertion.length)],
      [result.subarray(0, at), result.subarray(at, at + length), result.subarray(at)],
      [result.subarray(0, Math.max(1, at))],
    ][random(random(10) === 0 ? 5 : 4)];
    result = Buffer.concat(parts ?? []);
  }
  return result;
}
