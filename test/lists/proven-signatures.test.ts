/** The table of operations that both engines answer alike was proven with the dialect and the printer that are there. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignatures } from '../../packages/engine/src/cluster/proof.ts';
import { provenDigest, provenText } from '../../packages/engine/src/cluster/proven.ts';
import { digestOfDialect } from '../trino/equality/digest.ts';

test('the table of proven signatures belongs to the dialect and the printer', () => {
  assert.equal(
    provenDigest,
    digestOfDialect(),
    'The dialect or the printer for Trino has changed: npm run prove:trino (docs/performance.md).',
  );
});

test('the table has the operations that statements are made of', () => {
  const signatures = readSignatures(provenText);
  for (const key of ['+(BIGINT)', '/(DOUBLE)', "round(DOUBLE, '2')", 'count(*)', 'GROUP BY(VARCHAR)'])
    assert.ok(signatures.has(key), key);
});
