/** Generated data, compared with SciPy and lifelines of PyPI. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { missing } from '../../../test/clients/missing.ts';
import { allCases } from './reference-cases.fixture.ts';

const run = promisify(execFile);
const versions = ['scipy==1.17.1', 'lifelines==0.30.3'];
const folder = mkdtempSync(join(tmpdir(), 'ploidy-statistics-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Largest relative difference. */
const tolerance = 1e-8;
/** Size of numbers below which the difference is absolute, unless a case has its own. */
const smallNumberDefault = 1e-12;

test('each test has the numbers of SciPy and lifelines', {
  skip: await missing('python3'),
}, async (context) => {
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin/pip'), ['install', '--quiet', '--no-compile', ...versions]);
  const cases = allCases();
  const started = execFile(join(folder, 'bin/python'), [join(import.meta.dirname, 'reference.py')], {
    maxBuffer: 64 * 2 ** 20,
  });
  const lines: string[] = [];
  started.stdout?.on('data', (text: string) => lines.push(text));
  const errors: string[] = [];
  started.stderr?.on('data', (text: string) => errors.push(text));
  started.stdin?.end(
    cases
      .map(({ method, arguments: given, own }) =>
        JSON.stringify({ method, arguments: given, numbers: own.length }),
      )
      .join('\n'),
  );
  const code = await new Promise((resolve) => started.on('close', resolve));
  assert.equal(code, 0, errors.join(''));
  const answers = lines
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as (number | string)[]);
  assert.equal(answers.length, cases.length);
  const largest = new Map<string, number>();
  for (const [at, { name, isEdge, own, smallNumber, ...rest }] of cases.entries()) {
    const wanted = (answers[at] ?? []).map((value) =>
      typeof value === 'string' ? Number(value.replace('inf', 'Infinity')) : value,
    );
    assert.equal(own.length, wanted.length, `${name} ${at}`);
    if (isEdge && own.every((value) => value === undefined)) {
      assert.ok(hasNoAnswer(wanted), `${name} ${wanted}: ${JSON.stringify(rest.arguments)}`);
      continue;
    }
    for (const [place, value] of wanted.entries()) {
      const difference = distance(own[place] ?? Number.NaN, value, smallNumber);
      largest.set(name, Math.max(largest.get(name) ?? 0, difference));
      assert.ok(
        difference <= tolerance,
        `${name} ${place}: ${own[place]} is not ${value}: ${JSON.stringify(rest.arguments).slice(0, 500)}`,
      );
    }
  }
  context.diagnostic([...largest].map(([name, value]) => `${name} ${value.toExponential(1)}`).join(', '));
});

/** Numbers of the reference without evidence: no numbers, or a p-value of 1 (equal ranks, no events). */
const hasNoAnswer = (wanted: readonly number[]): boolean =>
  wanted[1] === 1 || !wanted.every((value) => Number.isFinite(value));

/** Returns the relative difference of two numbers; of small ones the absolute one, as a part of the limit. */
function distance(one: number, other: number, smallNumber = smallNumberDefault): number {
  if (Object.is(one, other) || one === other) return 0;
  return Math.abs(one - other) / Math.max(Math.abs(other), smallNumber);
}
