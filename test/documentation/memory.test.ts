/** Hosts are sized by the table of memory in docs/operate/limits.md: its numbers are the limits by which processes are killed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../packages/server/src/config/config.ts';
import { engineSettings } from '../../packages/server/src/config/engine-settings.ts';

const mebibyte = 2 ** 20;
const reported = readFileSync(join(import.meta.dirname, '../../docs/operate/limits.md'), 'utf8');

interface Share {
  processes: number;
  mebibytes: number;
}

/** Concurrency and memory limit of each kind of process; the guard is one. */
function sharesOf(environment: NodeJS.ProcessEnv): Share[] {
  const { check, ...others } = engineSettings(readConfig(environment));
  const pools = [others.query, others.conversion, others.filling, others.answer, others.rewrite];
  return [...pools, { ...check, concurrentMax: 1 }].map(({ concurrentMax, residentMaxBytes }) => ({
    processes: concurrentMax,
    mebibytes: residentMaxBytes / mebibyte,
  }));
}

const sum = (shares: Share[]): number =>
  shares.reduce((total, { processes, mebibytes }) => total + processes * mebibytes, 0);

test('the table of memory has every kind of process with its number and limit, and their sum', () => {
  const shares = sharesOf({});
  const rows = [...reported.matchAll(/\| (\d+) × (\d+) MiB \|$/gm)].map(([, processes, mebibytes]) => ({
    processes: Number(processes),
    mebibytes: Number(mebibytes),
  }));
  const inOrder = (some: Share[]): string[] => some.map((share) => JSON.stringify(share)).sort();
  assert.deepEqual(inOrder(rows), inOrder(shares));
  assert.ok(reported.includes(`| all of them | | | ${sum(shares)} MiB |`), `${sum(shares)} MiB`);
});

test('the worst case of a smaller host is that of its settings', () => {
  const smaller = sum(sharesOf({ PLOIDY_QUERIES_MAX: '1', PLOIDY_QUERY_MEMORY: '512MiB' }));
  assert.ok(reported.includes(`the worst case is ${smaller} MiB`), `${smaller} MiB`);
});
