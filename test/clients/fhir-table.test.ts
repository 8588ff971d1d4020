/** The guide for analysts has the clients of FHIR that were tried, with the versions and settings of the tests. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tablesIn } from '../documentation/markdown.ts';
import { fhirClients } from './fhir-table.ts';

test('the table of FHIR clients has a row for each tested client, and no other', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/analyst.md'), 'utf8');
  const table = tablesIn(guide).find(({ header }) => header[0] === 'FHIR client');
  assert.deepEqual(
    table?.rows.map(({ cells }) => cells),
    Object.values(fhirClients).map((row) => [...row]),
  );
});
