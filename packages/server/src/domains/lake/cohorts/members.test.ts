import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../../../../engine/src/engine.ts';
import { findMembers, type MemberDeps } from './members.ts';

/** Fakes an engine that runs `query` for each statement. */
function depsWith(query: (signal: AbortSignal) => Promise<never>): MemberDeps {
  const deps = {
    analytics: { pin: async () => ({ version: 1 }) },
    blobs: { scratchPath: async () => '/nowhere', discardScratch: async () => undefined },
    engine: {
      check: async () => ({ sql: 'SELECT 1', tables: [] }),
      query: (_: unknown, signal: AbortSignal) => query(signal),
    },
    lake: {
      snapshot: async () => ({ version: 1, tables: new Map() }),
      withRelations: (_: unknown, __: unknown, work: (tables: never[]) => Promise<never>) => work([]),
    },
  };
  return deps as unknown as MemberDeps;
}

const source = { tests: [], statements: [{ sql: 'SELECT 1', at: 0 }] };
const wanted = { cohortId: 'c', project: 'p', source };

test('a statement that waits too long in the queue is 503 and can be retried', async () => {
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const found = findMembers(depsWith(waiting), wanted, AbortSignal.timeout(10));
  await assert.rejects(found, { name: 'Problem', status: 503, code: 'OVERLOADED' });
});

test('a statement that exceeds the time limit is 422', async () => {
  const slow = async (): Promise<never> => {
    throw new EngineError('TIME', 'It ran longer than 30 seconds, which is the limit. Narrow it down.');
  };
  const found = findMembers(depsWith(slow), wanted, new AbortController().signal);
  await assert.rejects(found, { name: 'Problem', status: 422, code: 'COHORT_TIME' });
});
