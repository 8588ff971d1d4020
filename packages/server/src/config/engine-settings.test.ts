import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { engineSettings } from './engine-settings.ts';

test('ingestions have two processes more than the setting, for small files', () => {
  const { query, conversion } = engineSettings(
    readConfig({ PLOIDY_QUERIES_MAX: '5', PLOIDY_INGESTIONS_MAX: '2' }),
  );
  assert.deepEqual([query.concurrentMax, conversion.concurrentMax], [5, 4]);
});
