import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { omicTexts } from '../inputs/texts.ts';
import { until, workLooksMs } from '../support/until.ts';
import { MortalService } from './mortal-service.ts';

const data = join(import.meta.dirname, '../../samples/data');
/** Tables that files of an earlier version lack. */
const derived = "('alteration', 'sample_profile')";

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Derivation');
  await project.take('SYN0001.vcf', readFileSync(join(data, 'vcf/SYN0001.vcf')));
  await project.take('copynumber.csv', readFileSync(join(data, 'omic/copynumber.csv')));
  await project.take('fusion.csv', omicTexts.fusion('SYN0001'));
  await project.take('expression.csv', omicTexts.expression('SYN0002'));
});
after(() => service.end());

/** Returns the derived rows of the project. */
const rows = async (): Promise<unknown> => [
  await project.ask('select * from alteration order by all'),
  await project.ask('select * from sample_profile order by all'),
];

/** Removes derived rows from the records of a service that is down, as an earlier version would have left them. */
function forget(folder: string): void {
  const records = new DatabaseSync(join(folder, 'records.sqlite'));
  for (const table of ['segments', 'lake_files', 'lake_tables'])
    records.exec(`delete from ${table} where table_name in ${derived}`);
  records.exec('insert into lake_derivations select project_id, version, 0 from lakes where version > 0');
  records.close();
}

test('files of an earlier version get their alterations and profiles, however often the service dies', async () => {
  const expected = await rows();
  assert.match(String(expected), /BRAF/);
  await service.kill();
  forget(service.folder);
  await service.restart();
  const path = `/v1/analytics/study/attributes?datasetId=${project.id}`;
  const deriving = async () => (await service.call('GET', path)).body.deriving;
  for (const afterMs of [300, 1500]) await service.dieAfter(afterMs);
  await until(async () => (await deriving()) === undefined, 'the derivation', workLooksMs);
  assert.deepEqual(await rows(), expected);
  await service.assertLakeWhole();
  await project.take('fusion-again.csv', omicTexts.fusion('SYN0003'));
  assert.equal((await service.call('GET', path)).body.deriving, undefined);
});
