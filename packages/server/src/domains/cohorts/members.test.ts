import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EngineError } from '../../platform/engine/engine.ts';
import { findMembers, type MemberParts } from './members.ts';

/** Parts whose engine does with a statement what it is told to. */
function partsWhose(query: (signal: AbortSignal) => Promise<never>): MemberParts {
  const parts = {
    analytics: { pin: async () => ({ version: 1 }) },
    blobs: { scratchPath: async () => '/nowhere', discardScratch: async () => undefined },
    engine: {
      check: async () => ({ sql: 'SELECT 1', tables: [] }),
      query: (_: unknown, signal: AbortSignal) => query(signal),
    },
    lake: {
      snapshot: async () => ({ version: 1, tableNames: [] }),
      withRelations: (_: unknown, __: unknown, work: (tables: never[]) => Promise<never>) => work([]),
    },
  };
  return parts as unknown as MemberParts;
}

const source = { tests: [], statements: [{ sql: 'SELECT 1', at: 0 }] };
const wanted = { cohortId: 'c', project: 'p', source };

test('a statement whose turn does not come is no fault of its author: it is 503, and is tried again', async () => {
  const waiting = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const found = findMembers(partsWhose(waiting), wanted, AbortSignal.timeout(10));
  await assert.rejects(found, { name: 'Problem', status: 503, code: 'OVERLOADED' });
});

test('a statement that runs too long is told as such', async () => {
  const slow = async (): Promise<never> => {
    throw new EngineError('TIME', 'It ran longer than 30 seconds, which is the limit. Narrow it down.');
  };
  const found = findMembers(partsWhose(slow), wanted, new AbortController().signal);
  await assert.rejects(found, { name: 'Problem', status: 422, code: 'COHORT_TIME' });
});
