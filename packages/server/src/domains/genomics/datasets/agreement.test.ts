/** Reads are never assigned to bases that their header contradicts. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bamBytes } from '../../../../../../test/support/bam.ts';

const md5 = (bases: string): string => createHash('md5').update(bases).digest('hex');
/** Makes a BAM without reads, by name, bases and whether the header states their checksum. */
const bam = (...sequences: [name: string, bases: string, isStated: boolean][]) =>
  bamBytes({
    references: sequences.map(([name, bases]) => [name, bases.length]),
    text: sequences
      .map(([name, bases, isStated]) => {
        const checksum = isStated ? `\tM5:${md5(bases)}` : '';
        return `@SQ\tSN:${name}\tLN:${bases.length}\tAS:X1${checksum}\n`;
      })
      .join(''),
  });

describeApp('checksums of headers', (app) => {
  const setsOf = async (project: TestProject) => {
    const post = async (path: string, body: object) => {
      const reply = await app.call('POST', `/${app.account}/v1/${path}`, { body });
      assert.equal(reply.status, 200, reply.text);
      return reply.body;
    };
    const { readGroupSets } = await post('readgroupsets/search', { datasetId: project.id });
    const { referenceSets } = await post('referencesets/search', { pageSize: 1000 });
    const read = (fileId: string): string | undefined =>
      readGroupSets.find((set: { fileId: string }) => set.fileId === fileId).referenceSetId;
    const made = (fileId: string): string =>
      referenceSets.find((set: { fileId: string }) => set.fileId === fileId).id;
    return { read, made };
  };

  test('a set of other bases does not match by names, lengths or assembly', async () => {
    const project = await TestProject.make(app.call, 'Contradicted');
    const fasta = await project.take('x1.fa', '>one AS:X1\nACGT\n>two AS:X1\nGGGGG\n');
    const files = {
      all: await project.take('all.bam', bam(['one', 'TTTT', true], ['two', 'GGGGG', true])),
      some: await project.take('some.bam', bam(['one', 'TTTT', true], ['two', 'GGGGG', false])),
      assembly: await project.take('assembly.bam', bam(['one', 'TTTT', true], ['six', 'GG', false])),
      otherName: await project.take('other.bam', bam(['1', 'TTTT', true], ['six', 'GG', false])),
      agreeing: await project.take('agreeing.bam', bam(['one', 'ACGT', true], ['two', 'GGGGG', false])),
      part: await project.take('part.bam', bam(['one', 'ACGT', true])),
      renamed: await project.take('renamed.bam', bam(['1', 'ACGT', true], ['six', 'GG', false])),
      unnamed: await project.take('unnamed.bam', bam(['one', 'TTTT', false], ['two', 'GGGGG', false])),
    };
    const { read, made } = await setsOf(project);
    const set = made(fasta);
    const registered = read(files.all);
    assert.ok(registered !== undefined && registered !== set, 'its header registers a set of its own');
    for (const name of ['some', 'assembly', 'otherName'] as const)
      assert.notEqual(read(files[name]), set, name);
    for (const name of ['agreeing', 'part', 'renamed'] as const) assert.equal(read(files[name]), set, name);
    assert.equal(read(files.unnamed), undefined, 'two look alike now, and nothing tells them apart');
  });

  test('a later FASTA, or one with changed bases, takes no reads that contradict it', async () => {
    const project = await TestProject.make(app.call, 'Contradicted later');
    const files = {
      some: await project.take('some.bam', bam(['one', 'TTTT', true], ['two', 'GGGGG', false])),
      all: await project.take('all.bam', bam(['one', 'TTTT', true], ['two', 'GGGGG', true])),
    };
    const fasta = await project.take('x1.fa', '>one\nACGT\n>two\nGGGGG\n');
    const later = await setsOf(project);
    for (const file of Object.values(files)) assert.notEqual(later.read(file), later.made(fasta));
    await project.take('x1.fa', '>one\nTTTT\n>two\nGGGGG\n');
    const unnamed = await project.take('unnamed.bam', bam(['one', 'TTTT', false], ['two', 'GGGGG', false]));
    const right = await setsOf(project);
    assert.equal(right.read(files.all), right.made(fasta), 'the bases are those of its header');
    assert.equal(right.read(unnamed), right.made(fasta));
    await project.take('x1.fa', '>one\nCCCC\n>two\nGGGGG\n');
    const wrong = await setsOf(project);
    assert.equal(wrong.read(files.all), undefined, 'it has other bases now');
    assert.equal(wrong.read(unnamed), wrong.made(fasta), 'nothing says that it is not the same');
  });

  test('a set named by the request is used despite a contradiction, with a warning', async () => {
    const project = await TestProject.make(app.call, 'Named');
    const fasta = await project.take('x1.fa', '>one\nACGT\n');
    const referenceSetId = (await setsOf(project)).made(fasta);
    for (const [bases, count] of [
      ['TTTT', 1],
      ['ACGT', 0],
    ] as const) {
      const file = await project.upload(`${bases}.bam`, bam(['one', bases, true]));
      const end = await project.ingest(file, { referenceSetId });
      assert.equal(end.state, 'succeeded');
      assert.equal(end.warningCount, count);
      if (count > 0) assert.match(JSON.stringify(end.warnings), /other bases than the checksums/);
      assert.equal((await setsOf(project)).read(file), referenceSetId);
    }
  });
});
