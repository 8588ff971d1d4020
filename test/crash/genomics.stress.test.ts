import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { bamBytes } from '../support/bam.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

const reads = 20_000;
const sequences = 1_200;
/** When the service dies, as part of the time that the ingestions take. */
const moments = [0.3, 0.6, 0.9];

let service: MortalService;
let project: TestProject;
let root: string;

before(async () => {
  service = await MortalService.start({ PLOIDY_INGESTIONS_MAX: '2' });
  project = await TestProject.make(service.call, 'Genomics');
  root = `/${service.server.account}/v1`;
});
after(() => service.end());

/** Returns a BAM whose header registers references, and a FASTA; both name the round. */
async function beginRound(round: string): Promise<string[]> {
  const text = `@SQ\tSN:${round}\tLN:100000\tM5:${'0'.repeat(32)}\n@RG\tID:${round}\n`;
  const list = Array.from({ length: reads }, (_, position) => ({ reference: 0, position, group: round }));
  const bam = await project.upload('a.bam', bamBytes({ text, references: [[round, 100_000]], reads: list }));
  const lines = Array.from({ length: sequences }, (_, at) => `>${round}-${at}\n${'ACGT'.repeat(100)}\n`);
  const fasta = await project.upload('a.fa', lines.join(''));
  return Promise.all([bam, fasta].map((file) => project.startIngestion(file)));
}

async function search(path: string, body: object) {
  const reply = await service.call('POST', `${root}/${path}/search`, { body });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Returns the round that the reads show, and that of the references with their number; nothing where there are none. */
async function visible(): Promise<[reads: string, references: string]> {
  const { readGroupSets } = await search('readgroupsets', {});
  const [set] = readGroupSets;
  const shown = set?.status === 'ACTIVE' ? `${set.readGroups[0].name} ${set.stats.alignedReadCount}` : '';
  const { referenceSets } = await search('referencesets', {});
  const ofFile = referenceSets.filter((one: { fileId?: string }) => one.fileId !== undefined);
  assert.ok(ofFile.length <= 1, 'the file has one set at most');
  if (!ofFile[0]) return [shown, ''];
  const names = new Set<string>();
  let count = 0;
  for (let pageToken = ''; ; ) {
    const page = await search('references', { referenceSetId: ofFile[0].id, pageSize: 1000, pageToken });
    for (const { name } of page.references) names.add(name.split('-')[0]);
    count += page.references.length;
    if (!page.nextPageToken) break;
    pageToken = page.nextPageToken;
  }
  return [shown, `${[...names]} ${count}`];
}

test('a crash at any moment shows all of a BAM and of a FASTA or nothing new, and both continue', async () => {
  const finish = async (ids: string[]): Promise<void> => {
    for (const id of ids) assert.equal((await project.endOfIngestion(id)).state, 'succeeded');
  };
  const startedAt = performance.now();
  await finish(await beginRound('r0'));
  const durationMs = performance.now() - startedAt;
  const whole = (round: string) => [`${round} ${reads}`, `${round} ${sequences}`];
  for (const [index, moment] of moments.entries()) {
    const round = `r${index + 1}`;
    const ids = await beginRound(round);
    await service.dieAfter(durationMs * moment);
    const [bam, fasta] = await visible();
    // The overwritten BAM cannot be read any more; the bases of the earlier FASTA are kept until there are new ones.
    assert.ok(['', whole(round)[0]].includes(bam), bam);
    assert.ok([whole(`r${index}`)[1], whole(round)[1]].includes(fasta), fasta);
    await finish(ids);
    assert.deepEqual(await visible(), whole(round));
  }
  // The service sweeps replaced bytes from its start on.
  await service.dieAfter(0);
  await untilSwept(service);
  await service.assertAuditWhole();
});
