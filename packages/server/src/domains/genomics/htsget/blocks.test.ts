import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bgzf } from '../../../../../../test/support/bam.ts';
import { addReads, fetchTicket } from '../../../../../../test/support/genomics.ts';
import { untilRemoved } from '../../../../../../test/support/removals.ts';
import { bam, urlsOf, vcf } from './files.fixture.ts';

describeApp('blocks of htsget', (app) => {
  let project: string;
  let set: string;
  let path: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Blocks' } })).body.id;
    set = await addReads(app, project, 'reads.bam', bam);
    path = `/${app.account}/v1/htsget/reads/${set}`;
  });

  test('an address of blocks works unchanged only, not for other sets, files or purposes', async () => {
    const other = await addReads(app, project, 'other.bam', bam);
    const [block = ''] = urlsOf(await app.call('GET', `${path}?referenceName=chr1&start=1&end=9`)).flatMap(
      ({ url }) => (url.startsWith('http') ? [url] : []),
    );
    const file = await app.put(project, 'v.vcf.gz', bgzf(Buffer.from(vcf)));
    const first = Buffer.from(await (await fetch(block)).arrayBuffer());
    assert.ok(
      first.equals(Buffer.from(await (await fetch(block)).arrayBuffer())),
      'the same bytes each time',
    );
    const head = await fetch(block, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(first.length)]);
    const url = new URL(block);
    const changes = [...url.searchParams.keys()].map((name) => {
      const changed = new URL(block);
      changed.searchParams.set(name, `${changed.searchParams.get(name)}1`);
      return String(changed);
    });
    const others = [`${block}&from=1`, block.replace(set, other), block.replace('/reads/', '/variants/')];
    const downloadUrl = (await app.call('GET', `/v1/files/${file}?include=downloadUrl`)).body.downloadUrl;
    others.push(`${url.origin}${url.pathname}${new URL(downloadUrl).search}`);
    others.push(`${url.origin}${new URL(downloadUrl).pathname}${url.search}`);
    for (const refused of [...changes, ...others]) assert.equal((await fetch(refused)).status, 403, refused);
  });

  test('addresses of blocks and files end with the right of the user who asked for them', async () => {
    const leaver = await app.people.member(app.account, ['readData']);
    const file = await app.put(project, 'left.txt', 'text');
    const as = { key: leaver.key };
    const { downloadUrl } = (await app.call('GET', `/v1/files/${file}?include=downloadUrl`, as)).body;
    const [block = ''] = urlsOf(
      await app.call('GET', `${path}?referenceName=chr1&start=1&end=9`, as),
    ).flatMap(({ url }) => (url.startsWith('http') ? [url] : []));
    for (const address of [downloadUrl, block]) assert.equal((await fetch(address)).status, 200);
    await app.people.withdraw(leaver);
    for (const address of [downloadUrl, block]) {
      const refused = await fetch(address);
      assert.equal(refused.status, 403, address);
      assert.match(await refused.text(), /may no longer read/);
    }
  });

  test('tickets and blocks are recorded in the audit log', async () => {
    const reader = await app.people.member(app.account, ['readData']);
    const ticket = await app.call('GET', `${path}?referenceName=2`, { key: reader.key });
    await app.call('POST', path, { key: reader.key, body: {} });
    await fetchTicket(ticket.body);
    const rows = await app.people.records.read
      .selectFrom('audit_events')
      .select('action')
      .where('user_id', '=', reader.userId)
      .where('action', 'like', 'htsget.%')
      .orderBy('sequence')
      .execute();
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['htsget.reads', 'htsget.reads', 'htsget.blocks'],
    );
  });

  test('addresses of blocks end with their set, file and project', async () => {
    const doomed = (await app.call('POST', '/v1/projects', { body: { name: 'Doomed' } })).body.id;
    const own = await addReads(app, doomed, 'a.bam', bam);
    const file = await app.put(doomed, 'v.vcf.gz', bgzf(Buffer.from(vcf)));
    const block = async (address: string) =>
      urlsOf(await app.call('GET', `/${app.account}/v1/htsget/${address}`))[1]?.url ?? '';
    const ofSet = await block(`reads/${own}`);
    const ofFile = await block(`variants/${file}?referenceName=1`);
    assert.deepEqual([(await fetch(ofSet)).status, (await fetch(ofFile)).status], [200, 200]);
    await app.call('DELETE', `/${app.account}/v1/readgroupsets/${own}`);
    assert.equal((await fetch(ofSet)).status, 404);
    assert.equal((await fetch(ofFile)).status, 200);
    await app.call('DELETE', `/v1/projects/${doomed}?force=true`);
    assert.equal((await fetch(ofFile)).status, 404);
    await untilRemoved(app.people.records, 'project', doomed);
    const left = await app.people.records.read
      .selectFrom('variant_indexes')
      .select('file_id')
      .where('file_id', '=', file)
      .execute();
    assert.deepEqual(left, []);
  });
});
