/** The files of docs/guides/bioinformatician.md, as their commands ingest them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocksFor } from '../../../../test/documentation/claims.ts';
import { convertContent } from './conversion.fixture.ts';

const files = blocksFor(import.meta.filename).map(({ code }) => code);

test('a clinical file of cBioPortal: declared texts stay text, missing numbers are NULL', async () => {
  const { columns, rows } = await convertContent(files[0] ?? '', {
    name: 'clinical_sample',
    columns: [{ name: 'GRADE', type: 'string', mask: 'none' }],
  });
  assert.deepEqual(columns, [
    ...['patient_id:string:hash', 'sample_id:string:hash', 'grade:string:none'],
    'tmb_nonsynonymous:float:null',
  ]);
  assert.deepEqual(rows, ['TCGA-01|TCGA-01-01|02|3.1', 'TCGA-02|TCGA-02-01|03|-']);
});

test('an export of REDCap: the record is the patient, codes of missing data are NULL', async () => {
  const { columns, rows, warnings } = await convertContent(files[1] ?? '', {
    name: 'visits',
    patientColumn: 'record_id',
    nulls: ['-99'],
    columns: [
      { name: 'smoker', type: 'boolean', mask: 'none' },
      { name: 'visit_date', type: 'date', mask: 'shift' },
    ],
  });
  assert.deepEqual(columns, [
    ...['patient_id:string:hash', 'redcap_event_name:string:null', 'visit_date:date:shift'],
    ...['smoker:boolean:none', 'race_1:int:null', 'crp:float:null'],
  ]);
  assert.deepEqual(rows.toSorted(), [
    'P001|baseline_arm_1|2021-02-03|true|0|4.5',
    'P001|month_6_arm_1|2021-08-04|false|0|-',
    'P002|baseline_arm_1|2021-02-10|-|1|12.0',
  ]);
  assert.deepEqual(warnings, []);
});

test('a list of a biobank with semicolons: numbers of tubes keep their zeros', async () => {
  const { columns, rows } = await convertContent(files[2] ?? '', {
    name: 'tubes',
    patientColumn: 'Donor',
    columns: [{ name: 'Freezer', type: 'string', mask: 'code' }],
  });
  assert.deepEqual(columns, [
    ...['patient_id:string:hash', 'tube:string:null', 'freezer:string:code', 'volume_ml:float:null'],
    'drawn:date:null',
  ]);
  assert.deepEqual(rows, ['P001|000123|A-01|1.5|2021-03-04', 'P002|000124|A-02|0.5|2021-03-05']);
});
