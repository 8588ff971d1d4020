import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tables } from '../packages/formats/src/index.ts';
import { demoQuestion, demoSql, expectedDemoRows } from './expected.ts';

const folder = join(import.meta.dirname, 'data');
const rows = expectedDemoRows(folder);

test('the demo question has the answer that the stories define', () => {
  assert.deepEqual(
    rows.map((row) => [row.patient_id, row.amino_acid_change, row.clinical_significance, row.medication]),
    [
      ['syn-0001', 'p.Val600Glu', 'Pathogenic', 'cobimetinib'],
      ['syn-0001', 'p.Val600Glu', 'Pathogenic', 'vemurafenib'],
      ['syn-0007', 'p.Val600Lys', 'Pathogenic/Likely_pathogenic', 'dabrafenib'],
      ['syn-0007', 'p.Val600Lys', 'Pathogenic/Likely_pathogenic', 'trametinib'],
      ['syn-0013', 'p.Val600Glu', 'Pathogenic', 'dabrafenib'],
      ['syn-0013', 'p.Val600Glu', 'Pathogenic', 'trametinib'],
      ['syn-0020', 'p.Val600Lys', 'Pathogenic', 'dabrafenib'],
    ],
  );
  assert.ok(
    rows.every(({ condition, gene }) => condition === demoQuestion.condition.display && gene === 'BRAF'),
  );
});

test('the answer leaves out near misses that the data hold', () => {
  const conditions = readFileSync(join(folder, 'fhir/Condition.ndjson'), 'utf8').split('\n');
  const withMelanoma = conditions.filter((line) => line.includes(demoQuestion.condition.code));
  assert.equal(
    withMelanoma.length,
    8,
    'with syn-0007 in the bundle nine patients have the diagnosis, four are in the answer',
  );
  assert.ok(withMelanoma.some((line) => line.includes('syn-0012') && line.includes('refuted')));
  const genotype = (sample: string): string =>
    readFileSync(join(folder, `vcf/${sample}.vcf`), 'utf8').match(/\t140753336\t.*\tGT\S*\t([^:]*)/)?.[1] ??
    '';
  assert.equal(genotype('SYN0010'), '0/0', 'melanoma, BRAF unchanged');
  assert.equal(genotype('SYN0009'), '0/1', 'another disease');
  assert.equal(genotype('SYN0012'), '0/1', 'refuted diagnosis');
  assert.equal(genotype('SYN0004'), '', 'melanoma, another gene');
});

test('the SQL of the demo names only tables and columns that the lake has', () => {
  for (const [, table = '', column = ''] of demoSql.matchAll(/\b([a-z]+)\.([a-z_]+)\b/g)) {
    const found = tables.get(table)?.columns.some(({ name }) => name === column);
    assert.ok(found, `${table}.${column}`);
  }
});
