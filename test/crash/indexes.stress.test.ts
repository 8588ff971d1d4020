/** A service that is killed while it reads a BAM and a VCF to index them. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TestProject } from '../inputs/project.ts';
import { bamBytes, bgzf } from '../support/bam.ts';
import { fetchTicket, readNames } from '../support/genomics.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { ifAnswered, MortalService } from './mortal-service.ts';

const reads = 40_000;
const variants = 120_000;

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start({ PLOIDY_INGESTIONS_MAX: '2' });
  project = await TestProject.make(service.call, 'Indexes');
});
after(() => service.end());

const bam = () => {
  const references: [string, number][] = [['chr1', 1_000_000]];
  const list = Array.from({ length: reads }, (_, at) => ({
    name: `r${at}`,
    reference: 0,
    position: at * 10,
  }));
  return bamBytes({ references, reads: list });
};
const vcf = () => {
  const lines = Array.from({ length: variants }, (_, at) => `1\t${at * 10 + 1}\tv${at}\tA\tC\t.\t.\t.\n`);
  return bgzf(
    Buffer.from(`##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n${lines.join('')}`),
  );
};

interface Job {
  state: string;
  lost: number;
}
const jobOf = (kind: string): Job | undefined =>
  service.look((records) => {
    const row = records.prepare('select state, lost from jobs where kind = ?').get(kind);
    return row && { state: String(row['state']), lost: Number(row['lost']) };
  });

test('an index whose making was killed is made again by itself, whole, and nothing of the first attempt is left', async () => {
  const root = `/${service.server.account}/v1`;
  const file = await project.upload('v.vcf.gz', vcf());
  const path = `${root}/htsget/variants/${file}?referenceName=1&start=1000000&end=1000100`;
  const asked = ifAnswered(service.call('GET', path));
  await until(() => jobOf('htsget.index')?.state === 'running', 'the VCF is being indexed');
  await service.kill();
  await asked;
  assert.equal(jobOf('htsget.index')?.state, 'running', 'it was killed in the middle');
  await service.restart();

  const ticket = await service.call('GET', path);
  assert.equal(ticket.status, 200, ticket.text);
  const text = gunzipSync(await fetchTicket(ticket.body)).toString();
  assert.ok(text.includes('\tv100000\t') && text.includes('\tv100009\t'));
  assert.ok((jobOf('htsget.index')?.lost ?? 0) > 0);

  const ingestion = await project.startIngestion(await project.upload('a.bam', bam()));
  await until(() => service.job('ingestions', ingestion).state === 'running', 'the BAM is being read');
  await service.kill();
  assert.equal(service.job('ingestions', ingestion).state, 'running', 'it was killed in the middle');
  await service.restart();

  assert.equal((await project.endOfIngestion(ingestion)).state, 'succeeded');
  assert.ok(service.job('ingestions', ingestion).lost > 0);
  const { body } = await service.call('POST', `${root}/readgroupsets/search`, { body: {} });
  assert.deepEqual(
    body.readGroupSets.map((set: { status: string }) => set.status),
    ['ACTIVE'],
  );
  const region = `${root}/htsget/reads/${body.readGroupSets[0].id}?referenceName=chr1&start=300000&end=300010`;
  assert.ok(readNames(await fetchTicket((await service.call('GET', region)).body)).includes('r30000'));
  // The service sweeps replaced bytes from its start on.
  await service.dieAfter(0);
  await untilSwept(service);
  await service.assertAuditWhole();
});
