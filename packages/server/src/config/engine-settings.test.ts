import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { engineSettings } from './engine-settings.ts';

test('a user has a share of the query processes, whatever the way of the statement', () => {
  const { query } = engineSettings(readConfig({ PLOIDY_QUERIES_MAX: '5', PLOIDY_QUERIES_SHARE: '4' }));
  assert.deepEqual([query.concurrentMax, query.askerMax], [5, 4]);
});
