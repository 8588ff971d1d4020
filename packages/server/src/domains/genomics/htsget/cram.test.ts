/** Ingests CRAM files and streams them by container. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { addReads, fetchTicket } from '../../../../../../test/support/genomics.ts';
import { convertReads } from '../../../../../converters/src/genomics-conversion.fixture.ts';
import { urlsOf } from './files.fixture.ts';

const folder = new URL('../../../../../../test/inputs/cram/', import.meta.url);
const stored = (name: string): Buffer => readFileSync(new URL(name, folder));
/** Two slices a container, the last with the reads that have no place. */
const cram = stored('reference.cram');

describeApp('htsget of a CRAM', (app) => {
  let project: TestProject;
  let path: string;

  before(async () => {
    project = await TestProject.make(app.call, 'CRAM');
    path = `/${app.account}/v1/htsget/reads/${await addReads(app, project.id, 'reads.cram', cram)}`;
  });

  const ask = (query = '') => app.call('GET', `${path}${query}`);
  const fetched = async (query: string): Promise<Buffer> => fetchTicket((await ask(query)).body);
  /** Reads and bases of a fetched file. */
  const countsOf = async (query: string) =>
    (await convertReads(await fetched(query), {}, undefined, 'cram')).made.summary.counts;

  test('a ticket without a region yields the bytes of the file', async () => {
    const { body } = await ask('?format=CRAM');
    assert.equal(body.htsget.format, 'CRAM');
    assert.deepEqual(
      urlsOf({ body }).map((one) => one.class),
      ['header', 'body', 'body'],
    );
    assert.ok((await fetchTicket(body)).equals(cram));
    assert.ok((await fetched('')).equals(cram), 'also without a format');
  });

  test('a region yields the containers that overlap it, between header and end', async () => {
    assert.deepEqual(await countsOf('?class=header'), { aligned: 0, unaligned: 0, bases: 0 });
    assert.deepEqual(await countsOf('?referenceName=chr1&start=0&end=100'), {
      aligned: 40,
      unaligned: 0,
      bases: 1200,
    });
    assert.deepEqual(await countsOf('?referenceName=1&start=5900&end=5901'), {
      aligned: 19,
      unaligned: 0,
      bases: 570,
    });
    assert.deepEqual(await countsOf('?referenceName=2'), { aligned: 33, unaligned: 0, bases: 990 });
    assert.deepEqual(await countsOf('?referenceName=*'), { aligned: 0, unaligned: 3, bases: 30 });
    assert.deepEqual(await countsOf('?referenceName=2&start=2990&end=3000'), {
      aligned: 0,
      unaligned: 0,
      bases: 0,
    });
  });

  test('another format than that of the file is refused', async () => {
    for (const query of ['?format=BAM', '?format=VCF', '?format=BAM&class=header']) {
      const { status, body } = await ask(query);
      assert.deepEqual([status, body.htsget.error], [400, 'UnsupportedFormat'], query);
    }
  });

  test('a CRAM whose reference is not in the project is ingested with a warning, and without one when it is', async () => {
    const warningsOf = async () => {
      const fileId = await app.put(project.id, `again-${Math.random()}.cram`, cram);
      const { state, progress, warnings } = await project.ingest(fileId);
      assert.deepEqual([state, progress.rows], ['succeeded', 135]);
      return warnings.map(({ message }) => message);
    };
    assert.ok((await warningsOf()).some((message) => message.includes('no bases')));
    await project.take('reference.fa', stored('reference.fa').toString());
    assert.ok(!(await warningsOf()).some((message) => message.includes('no bases')));
  });
});
