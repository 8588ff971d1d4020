/** Reference sets, references and their bases over HTTP. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bamBytes } from '../../../../../../test/support/bam.ts';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';
import { sweepReferences } from './index.ts';

const fasta = '>one AC:CM000663.2 AS:X1\nacgtacgtac\n>two AS:X1\nGGGG\n';

describeApp('references', (app) => {
  let project: TestProject;
  const post = async (path: string, body: object) => {
    const reply = await app.call('POST', `/${app.account}/v1/${path}`, { body });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const get = (path: string) => app.call('GET', `/${app.account}/v1/${path}`);
  const setOf = async (fileId: string) => {
    const { referenceSets } = await post('referencesets/search', { pageSize: 1000 });
    return referenceSets.find((set: { fileId: string }) => set.fileId === fileId);
  };

  before(async () => {
    project = await TestProject.make(app.call, 'References');
  });

  test('a FASTA makes a set and its references, found by checksum, accession and assembly', async () => {
    const options = { species: 'Homo sapiens', sourceAccessions: ['GCA_000001405.15', 'GCA_2.1'] };
    const set = await setOf(await project.take('genomes/x1.fa', fasta, options));
    assert.deepEqual([set.name, set.assemblyId, set.isDerived], ['X1', 'X1', false]);
    assert.deepEqual(set.species, { term_id: 'NCBITaxon:9606', term: 'Homo sapiens' });
    assert.deepEqual((await get(`referencesets/${set.id}`)).body, set);
    const { references, nextPageToken } = await post('references/search', { referenceSetId: set.id });
    assert.equal(nextPageToken, undefined);
    assert.deepEqual(
      references.map((one: { name: string; length: string }) => [one.name, one.length]),
      [
        ['one', '10'],
        ['two', '4'],
      ],
    );
    const [one, two] = references;
    assert.deepEqual([one.sourceAccessions, two.sourceAccessions], [['CM000663.2'], []]);
    assert.deepEqual((await get(`references/${one.id}`)).body, one);
    const found = async (path: string, body: object): Promise<string[]> => {
      const answer = await post(`${path}/search`, body);
      return (answer.references ?? answer.referenceSets).map(({ id }: { id: string }) => id);
    };
    assert.deepEqual(await found('references', { md5checksum: one.md5checksum }), [one.id]);
    assert.deepEqual(await found('references', { accession: 'CM000663.2' }), [one.id]);
    assert.deepEqual(await found('references', { accession: 'cm000663.2' }), []);
    assert.deepEqual(await found('referencesets', { assemblyId: 'X1' }), [set.id]);
    assert.deepEqual(await found('referencesets', { md5checksum: set.md5checksum }), [set.id]);
    assert.deepEqual(await found('referencesets', { accession: 'GCA_2.1' }), [set.id]);
    assert.deepEqual(await found('referencesets', { accession: 'GCA_2' }), []);
    const unknown = await app.call('POST', `/${app.account}/v1/references/search`, {
      body: { referenceSetId: 'nothing' },
    });
    assert.equal(unknown.status, 404);
  });

  test('references are paged set by set, in the order of their sources', async () => {
    const text = Array.from({ length: 7 }, (_, at) => `>s${at}\nA${'C'.repeat(at)}\n`).join('');
    const set = await setOf(await project.take('seven.fa', text));
    const names: string[] = [];
    let pageToken: string | undefined;
    do {
      const page: { references: { name: string }[]; nextPageToken?: string } = await post(
        'references/search',
        {
          referenceSetId: set.id,
          pageSize: 3,
          ...(pageToken !== undefined && { pageToken }),
        },
      );
      names.push(...page.references.map(({ name }) => name));
      pageToken = page.nextPageToken;
    } while (pageToken !== undefined);
    assert.deepEqual(names, ['s0', 's1', 's2', 's3', 's4', 's5', 's6']);
    const all = (await post('references/search', { pageSize: 1000 })).references.length;
    let walked = 0;
    for (let token = ''; ; ) {
      const page = await post('references/search', { pageSize: 4, pageToken: token });
      walked += page.references.length;
      if (!page.nextPageToken) break;
      token = page.nextPageToken;
    }
    assert.equal(walked, all, 'over all sets, each reference once');
  });

  test('bases are read by range through both routes, and a missing range is 416', async () => {
    const set = await setOf(await project.take('bases.fa', '>a\nAC\n>b\nacgtNNacgt\n'));
    const { references } = await post('references/search', { referenceSetId: set.id });
    const path = `references/${references[1].id}/bases`;
    assert.deepEqual((await get(path)).body, { offset: '0', sequence: 'ACGTNNACGT' });
    assert.deepEqual((await get(`${path}?start=2&end=7`)).body, { offset: '2', sequence: 'GTNNA' });
    assert.deepEqual(await post(path, { start: 9 }), { offset: '9', sequence: 'T' });
    assert.deepEqual(await post(path, { start: '1', end: 2 }), { offset: '1', sequence: 'C' });
    for (const query of ['start=-1', 'end=11', 'start=5&end=5', 'start=6&end=2', 'start=10']) {
      const reply = await get(`${path}?${query}`);
      assert.deepEqual([reply.status, reply.headers.get('content-range')], [416, 'bases */10'], query);
    }
    assert.equal((await get(`${path}?start=one`)).status, 400);
    assert.equal((await get(`${path}?pageToken=forged`)).status, 400);
  });

  test('long sequences are paged, and the pages add up to the uploaded bases', {
    skip: sharedDataSkip,
  }, async () => {
    const bytes = readFileSync(sharedData('fasta/ce.fa'));
    const set = await setOf(await project.take('ce.fa', bytes));
    const { references } = await post('references/search', { referenceSetId: set.id, pageSize: 1 });
    const [{ id, length, md5checksum }] = references;
    assert.deepEqual([length, md5checksum], ['1009800', '8ede36131e0dbf3417807e48f77f3ebd']);
    const first = (await get(`references/${id}/bases`)).body;
    assert.equal(first.sequence.length, 1_000_000);
    const second = (await get(`references/${id}/bases?pageToken=${first.nextPageToken}`)).body;
    assert.deepEqual(
      [second.offset, second.sequence.length, second.nextPageToken],
      ['1000000', 9800, undefined],
    );
    const own = bytes.toString('latin1').split('>')[1] ?? '';
    const sent = own.slice(own.indexOf('\n')).replace(/\s/g, '').toUpperCase();
    assert.ok(first.sequence + second.sequence === sent);
    const other = await get(`references/${id}/bases?start=1&pageToken=${first.nextPageToken}`);
    assert.equal(other.status, 400, 'a token is of its range');
  });

  test('reads find their references by checksum or by names and lengths, in any order of ingestion', async () => {
    const own = await TestProject.make(app.call, 'Aligned');
    const setIdOf = async (fileId: string) => {
      const { readGroupSets } = await post('readgroupsets/search', { datasetId: own.id });
      return readGroupSets.find((set: { fileId: string }) => set.fileId === fileId).referenceSetId;
    };
    const lines = `@SQ\tSN:one\tLN:4\tM5:f1f8f4bf413b16ad135722aa4591043e\n`;
    const references: [string, number][] = [['one', 4]];
    const withChecksum = await own.take('checksum.bam', bamBytes({ references, text: lines }));
    const without = await own.take('plain.bam', bamBytes({ references }));
    const registered = await setIdOf(withChecksum);
    assert.ok(registered, 'the header registers a set');
    const of = await post('references/search', { referenceSetId: registered });
    assert.deepEqual(
      [of.references[0].name, of.references[0].md5checksum],
      ['one', 'f1f8f4bf413b16ad135722aa4591043e'],
    );
    const noBases = await get(`references/${of.references[0].id}/bases`);
    assert.deepEqual([noBases.status, noBases.body.code], [422, 'NO_BASES']);
    assert.equal(await setIdOf(without), registered, 'found by names and lengths');
    const withBases = await setOf(await own.take('one.fa', '>one\nACGT\n'));
    assert.equal(withBases.md5checksum.length, 32);
    assert.equal(
      await setIdOf(withChecksum),
      withBases.id,
      'the FASTA takes the place of what was registered',
    );
    assert.equal((await get(`referencesets/${registered}`)).status, 404);
    assert.equal(await setIdOf(without), withBases.id);
    const replaced = await setOf(await own.take('one.fa', '>one\nTTTT\n'));
    assert.equal(await setIdOf(without), replaced.id, 'and its next version the place of that');
    await app.call('DELETE', `/v1/files/${replaced.fileId}`);
    assert.equal(await setIdOf(without), undefined);
  });

  test('a registered set is removed with the last reads that refer to it', async () => {
    const own = await TestProject.make(app.call, 'Registered');
    const text = `@SQ\tSN:one\tLN:4\tM5:${'0'.repeat(32)}\n`;
    const bytes = bamBytes({ references: [['one', 4]], text });
    const files = [await own.take('a.bam', bytes), await own.take('b.bam', bytes)];
    const { readGroupSets } = await post('readgroupsets/search', { datasetId: own.id });
    const [{ referenceSetId }] = readGroupSets;
    for (const [file, status] of [
      [files[0], 200],
      [files[1], 404],
    ] as const) {
      await app.call('DELETE', `/v1/files/${file}`);
      assert.equal((await get(`referencesets/${referenceSetId}`)).status, status);
    }
  });

  test('replaced and removed rows and bases are swept, and visible ones stay', async () => {
    const { records } = app.people;
    const kept = await setOf(await project.take('kept.fa', fasta));
    const gone = await setOf(await project.take('gone.fa', fasta));
    const bases = async (id: string) => {
      const set = records.read.selectFrom('reference_sets').select('bases_blob').where('id', '=', id);
      return (await set.executeTakeFirst())?.bases_blob;
    };
    const [keptBases, goneBases] = [await bases(kept.id), await bases(gone.id)];
    assert.ok(keptBases && goneBases);
    await app.call('DELETE', `/v1/files/${gone.fileId}`);
    assert.equal((await get(`referencesets/${gone.id}`)).status, 404);
    const removed: string[] = [];
    const blobs = { remove: async (keys: string[]) => void removed.push(...keys) };
    await sweepReferences(records, blobs as never);
    assert.ok(removed.includes(goneBases) && !removed.includes(keptBases));
    const left = records.read.selectFrom('genome_references').select('id').where('set_id', '=', gone.id);
    assert.deepEqual(await left.execute(), []);
    const orders = records.read.selectFrom('blob_intents').select('key').where('kind', '=', 'remove');
    const ordered = (await orders.execute()).map(({ key }) => key);
    assert.deepEqual([ordered.includes(goneBases), ordered.includes(keptBases)], [true, false]);
  });

  test('bases stay when their file is deleted with keepRows, and move with the file', async () => {
    const target = await TestProject.make(app.call, 'Target of references');
    const set = await setOf(await project.take('staying.fa', fasta));
    await app.call('PATCH', `/v1/files/${set.fileId}`, { body: { datasetId: target.id } });
    assert.equal((await get(`referencesets/${set.id}`)).body.datasetId, target.id);
    await app.call('DELETE', `/v1/files/${set.fileId}?keepRows=true`);
    const { references } = await post('references/search', { referenceSetId: set.id });
    assert.equal((await get(`references/${references[1].id}/bases`)).body.sequence, 'GGGG');
    assert.equal((await app.call('DELETE', `/v1/projects/${target.id}?force=true`)).status, 204);
    assert.equal((await get(`referencesets/${set.id}`)).status, 404);
    assert.equal((await get(`references/${references[1].id}/bases`)).status, 404);
    const search = await app.call('POST', `/${app.account}/v1/references/search`, {
      body: { referenceSetId: set.id },
    });
    assert.equal(search.status, 404);
  });
});
