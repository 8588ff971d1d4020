import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { bgzf } from '../../../../../../test/support/bam.ts';
import { startS3 } from '../../../../../../test/support/s3/server.ts';
import { until } from '../../../../../../test/support/until.ts';

const s3 = await startS3();
after(() => s3.close());

const store = new URL(s3.settings['PLOIDY_BLOBS'] ?? '');
const addressOf = (prefix: string): string => `s3://${store.hostname}/${prefix}${store.search}`;
const key = {
  accessKeyId: s3.credentials.accessKeyId,
  secretAccessKey: s3.credentials.secretAccessKey,
};

describeApp(
  'buckets of a project',
  (app) => {
    let project: string;
    let path: string;

    before(async () => {
      project = (await app.call('POST', '/v1/projects', { body: { name: 'Placed' } })).body.id;
      path = `/v1/projects/${project}/buckets`;
      s3.served.length = 0;
    });

    const put = (name: string, text: string | Buffer) => s3.bucket.put(name, Buffer.from(text));
    const connect = async (prefix: string, more: object = {}): Promise<string> => {
      const { status, body, text } = await app.call('POST', path, {
        body: { address: addressOf(prefix), ...key, ...more },
      });
      assert.equal(status, 201, text);
      return body.id;
    };
    const looked = async (id: string) => {
      const one = async () => (await app.call('GET', `${path}/${id}`)).body;
      await until(async () => (await one()).state !== 'looking', 'the look has ended');
      return one();
    };
    const lookAgain = async (id: string) => {
      assert.equal((await app.call('POST', `${path}/${id}/look`)).status, 200);
      return looked(id);
    };
    const files = async (name: string): Promise<{ id: string; name: string; size: number }[]> =>
      (await app.call('GET', `/v1/files?datasetId=${project}&name=${name}`)).body.items;
    const bytesOf = async (id: string, headers: Record<string, string> = {}) => {
      const { downloadUrl } = (await app.call('GET', `/v1/files/${id}?include=downloadUrl`)).body;
      return fetch(downloadUrl, { headers });
    };

    test('objects are files, whole and in ranges, and stay where they are', async () => {
      for (let at = 0; at < 9; at += 1) put(`one/part${at}.txt`, `bytes of ${at}`);
      put('one/below/', '');
      put('other/not.txt', 'not of the prefix');
      const id = await connect('one', { folder: '/in/place' });
      const { state, files: count, bytes, skipped, looked: at, ...rest } = await looked(id);
      assert.deepEqual([state, count, bytes, skipped], ['ready', 9, 90, 0]);
      assert.ok(at && !JSON.stringify(rest).includes(key.secretAccessKey));
      const found = await files('in/place/');
      assert.equal(found.length, 9);
      const file = found.find(({ name }) => name === 'in/place/part4.txt');
      assert.equal(await (await bytesOf(file?.id ?? '')).text(), 'bytes of 4');
      const range = await bytesOf(file?.id ?? '', { range: 'bytes=6-7' });
      assert.deepEqual([range.status, await range.text()], [206, 'of']);
      const row = await app.people.records.read
        .selectFrom('buckets')
        .select('secret_sealed')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.ok(!row.secret_sealed?.includes(key.secretAccessKey));
    });

    test('other bytes are noticed by their ETag: never read for the former ones, then files again', async () => {
      put('two/a.txt', 'before');
      put('two/b.txt', 'stays');
      const id = await connect('two', { folder: 'two' });
      await looked(id);
      const [a] = await files('two/a.txt');
      assert.ok(a);
      put('two/a.txt', 'afterwards');
      s3.bucket.objects.delete('two/b.txt');
      const changed = await bytesOf(a.id);
      assert.deepEqual(
        [changed.status, ((await changed.json()) as { code: string }).code],
        [503, 'OBJECT_CHANGED'],
      );
      const { state, files: count, missing } = await lookAgain(id);
      assert.deepEqual([state, count, missing], ['ready', 1, 1]);
      assert.equal((await files('two/a.txt'))[0]?.id, a.id);
      assert.equal(await (await bytesOf(a.id)).text(), 'afterwards');
    });

    test('a VCF is ingested and served by region where it is; disconnecting keeps rows and objects', async () => {
      const lines = ['1\t100\t.\tA\tC\t.\tPASS\t.', '1\t900\t.\tG\tT\t.\tPASS\t.'];
      const header = '##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n';
      put('three/calls.vcf.gz', bgzf(Buffer.from(`${header}${lines.join('\n')}\n`)));
      const id = await connect('three', { folder: 'three', ingest: true });
      await looked(id);
      const [file] = await files('three/');
      assert.ok(file);
      const ingestions = `/v1/ingestions?datasetId=${project}`;
      const ended = async () => (await app.call('GET', ingestions)).body.items[0];
      await until(async () => !['queued', 'running'].includes((await ended())?.state), 'it is ingested');
      assert.equal((await ended()).state, 'succeeded', JSON.stringify((await ended()).error));
      const ticket = await app.call(
        'GET',
        `/${app.account}/v1/htsget/variants/${file.id}?referenceName=1&start=0&end=500`,
      );
      assert.equal(ticket.status, 200, ticket.text);

      assert.equal((await app.call('DELETE', `${path}/${id}`)).status, 202);
      await until(async () => (await app.call('GET', `${path}/${id}`)).status === 404, 'it is gone');
      assert.deepEqual(await files('three/'), []);
      assert.equal(await TestProject.at(app.call, project).count('variant'), 2, 'the rows stay');
      assert.ok(s3.bucket.objects.has('three/calls.vcf.gz'));
      assert.deepEqual(
        s3.served.filter((one) => !/^(GET|HEAD) /.test(one)),
        [],
        'nothing was written or removed',
      );
    });

    test('a name that is taken is left out; a refused key is explained; neither is half a file', async () => {
      await app.put(project, 'four/taken.txt', 'ours');
      put('four/taken.txt', 'theirs');
      const id = await connect('four', { folder: 'four' });
      const { files: count, skipped } = await looked(id);
      assert.deepEqual([count, skipped], [0, 1]);
      const [ours] = await files('four/');
      assert.equal(await (await bytesOf(ours?.id ?? '')).text(), 'ours');
      const refused = await looked(await connect('four', { secretAccessKey: 'wrong' }));
      assert.equal(refused.state, 'failed');
      assert.match(refused.failure, /s3:ListBucket/);
    });

    test('requests to a public bucket are not signed', async () => {
      const authorizations: (string | undefined)[] = [];
      s3.fault = ({ headers }) => {
        authorizations.push(headers.authorization);
        return { status: 403, code: 'AccessDenied' };
      };
      const { body } = await app.call('POST', path, { body: { address: addressOf('open') } });
      const { state } = await looked(body.id);
      s3.fault = () => undefined;
      assert.equal(state, 'failed');
      assert.ok(authorizations.length > 0 && authorizations.every((one) => one === undefined));
    });

    test('addresses and halves of a key are refused with their place, others by their rights', async () => {
      const faultOf = async (body: object) => {
        const answer = await app.call('POST', path, { body });
        return [answer.status, answer.body.details?.[0]?.path];
      };
      const at = 's3://test-bucket/x';
      assert.deepEqual(await faultOf({ address: 'https://test-bucket/x' }), [400, 'body/address']);
      assert.deepEqual(await faultOf({ address: `${at}?endpoint=http://s3.example.org` }), [
        400,
        'body/address',
      ]);
      assert.deepEqual(await faultOf({ address: 's3://a:b@test-bucket/x' }), [400, 'body/address']);
      assert.deepEqual(await faultOf({ address: at, folder: '../up' }), [400, 'body/folder']);
      assert.deepEqual(await faultOf({ address: at, accessKeyId: 'a' }), [400, 'body/secretAccessKey']);
      const member = await app.people.member(app.account, ['createData', 'readData']);
      const body = { address: at };
      assert.equal((await app.call('POST', path, { key: member.key, body })).status, 403);
      const stranger = await app.people.owner('strangers');
      assert.equal((await app.call('GET', path, { key: stranger.key })).status, 404);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);
