import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, EngineError } from '@ploidy/engine';
import { silent } from '../../../../../test/support/records.ts';
import { loggingSlow, temporaryProblem } from './engine-problems.ts';

test('a lost worker process is 503 with Retry-After; other errors stay unchanged', () => {
  const problem = temporaryProblem(new EngineError('WORKER_LOST', 'The process ended.'));
  assert.deepEqual(
    [problem?.status, problem?.code, problem?.message, problem?.retryAfterS],
    [503, 'ENGINE_UNAVAILABLE', 'The process ended.', 5],
  );
  assert.equal(temporaryProblem(new EngineError('SQL', 'no')), undefined);
  assert.equal(temporaryProblem(new Error('no')), undefined);
});

test('a full disk is 503 with Retry-After, and the limit of one task is not', () => {
  const full = 'The storage is full: free space or add some, then try again.';
  const problem = temporaryProblem(new EngineError('DISK', full));
  assert.deepEqual(
    [problem?.status, problem?.code, problem?.message, problem?.retryAfterS],
    [503, 'STORAGE_FULL', full, 60],
  );
  assert.equal(temporaryProblem(new EngineError('DISK', 'It needed more than one task may use.')), undefined);
});

test('a statement over the limit is one line with its digest, and no value of its text', async () => {
  const lines: object[] = [];
  const log = { ...silent, warn: (details: object) => void lines.push(details) };
  const query = async ({ format }: { format?: string }) => {
    if (format === 'rows') throw new EngineError('SQL', 'of Jane');
    return { rowCount: 3, size: 1, sha256: '' };
  };
  const engine = { query } as Partial<Engine> as Engine;
  const statement = { sql: "SELECT * FROM patient WHERE name = 'Jane'", tables: ['patient'] };
  const task = { statement, tables: [], outputPath: '/nowhere' };
  const { signal } = new AbortController();
  await loggingSlow(engine, { slowQueryMs: 60_000, log }).query(task, signal);
  assert.deepEqual(lines, []);
  const logging = loggingSlow(engine, { slowQueryMs: 0, log });
  await logging.query({ ...task, caller: 'user' }, signal);
  await assert.rejects(logging.query({ ...task, format: 'rows' }, signal), /of Jane/);
  assert.partialDeepStrictEqual(lines, [
    {
      digest: /^[0-9a-f]{16}$/.exec(String(Reflect.get(lines[0] ?? {}, 'digest')))?.[0],
      rowCount: 3,
      userId: 'user',
    },
    { failed: 'SQL', format: 'rows' },
  ]);
  assert.doesNotMatch(JSON.stringify(lines), /Jane|patient/);
});
