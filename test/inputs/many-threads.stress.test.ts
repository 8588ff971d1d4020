import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfHeader, vcfRecord } from './texts.ts';

const records = 36_000;
const patients = 16_000;

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_IDLE_WORKERS: '1', PLOIDY_THREADS: '16' });
  project = await TestProject.make(service.call, 'Threads');
});
after(() => service.end());

/** Large enough for threads: 32 MiB of text. */
function largeVcf(): string {
  const info = `X=${'A'.repeat(1000)}`;
  const lines = Array.from({ length: records }, (_, at) =>
    vcfRecord(1000 + at * 10).replace('PASS\t.', `PASS\t${info}`),
  );
  return vcfHeader('sample') + lines.join('');
}

test('one process converts large files of both kinds one after the other, on all of its threads', async () => {
  const files = [
    await project.upload('large.vcf', largeVcf()),
    await project.upload('large.ndjson', fhirText('p', patients, 3)),
  ];
  for (const file of [...files, ...files]) {
    const id = await project.startIngestion(file);
    const end = await project.endOfIngestion(id);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    assert.equal(service.job('ingestions', id).attempts, 1, 'no process was lost');
  }
  const counts = await project.ask('select count(*) from variant union all select count(*) from observation');
  assert.deepEqual(counts.toSorted(), [records, patients * 3].map(String).toSorted());
});
