import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { openTestApp, type TestApp } from '../support/app.ts';

const sample = (path: string): Buffer => readFileSync(join(import.meta.dirname, '../../samples/data', path));
/** Rows of a sample table by their columns, read by hand. */
const tableOf = (name: string): Record<string, string>[] => {
  const [header = '', ...lines] = sample(`omic/${name}.csv`).toString().trimEnd().split('\n');
  const names = header.split(',');
  return lines.map((line) => Object.fromEntries(line.split(',').map((text, at) => [names[at], text])));
};

let app: TestApp;
before(async () => {
  app = await openTestApp();
});
after(() => app.stop());

test('one question over patients, variants, copy numbers, fusions and expression has the answer of the files', async () => {
  const project = await TestProject.make(app.call, 'Omic');
  const files = [
    ...['fhir/Patient.ndjson', 'fhir/Specimen.ndjson', 'vcf/SYN0013-SYN0020.vcf.gz'],
    ...['omic/copynumber.csv', 'omic/fusion.csv', 'omic/expression.csv'],
  ];
  for (const path of files) await project.take(path, sample(path));
  const answer = await project.ask(`
    select patient.patient_id, copynumber.copy_number, fusion.gene1, gene.expression, count(distinct variant.variant_id) > 0
    from patient
    join sequence on sequence.patient_id = patient.patient_id
    join variant on variant.sample_id = sequence.id
    join copynumber on copynumber.sample_id = sequence.id and copynumber.gene = 'CDKN2A'
    join gene on gene.sample_id = sequence.id and gene.gene_name = 'BRAF' and gene.expression_unit = 'tpm'
    left join fusion on fusion.sample_id = sequence.id and fusion.gene2 = 'BRAF'
    where copynumber.status = 'loss'
    group by all order by patient.patient_id`);
  const lost = tableOf('copynumber').filter(
    ({ sample_id = '', gene, copy_number }) =>
      gene === 'CDKN2A' && copy_number === '0' && sample_id >= 'SYN0013',
  );
  const expected = lost.map(({ sample_id = '' }) => {
    const fused = tableOf('fusion').find((row) => row['sample_id'] === sample_id && row['gene2'] === 'BRAF');
    const level = tableOf('expression').find(
      (row) => row['sample_id'] === sample_id && row['gene_name'] === 'BRAF',
    );
    const patient = sample_id.replace('SYN', 'syn-');
    return `${patient},0.0,${fused?.['gene1'] ?? ''},${Number(level?.['expression'])},true`;
  });
  assert.deepEqual(answer, expected);
  // The melanomas among the last eight; SYN0015 is the one with AGK–BRAF.
  assert.deepEqual(
    expected.map((row) => row.split(',').slice(0, 3).join()),
    ['syn-0013,0.0,', 'syn-0014,0.0,', 'syn-0015,0.0,AGK', 'syn-0020,0.0,'],
  );
  assert.equal(await project.count('gene'), tableOf('expression').length);
});
