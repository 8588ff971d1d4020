import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { GetObjectCommand, HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../../test/support/app.ts';
import { clientOf, type Loaded, objectOf, statusOf } from './reader.fixture.ts';

const root = '/iceberg/v1';

/** Two patients; the second line of a patient is a later version. */
const patients = (...versions: [id: string, day: number][]): string =>
  versions
    .map(([id, day]) =>
      JSON.stringify({ resourceType: 'Patient', id, meta: { lastUpdated: `2024-01-0${day}T00:00:00Z` } }),
    )
    .join('\n');

describeApp('tables of projects in the Iceberg catalogue', (app) => {
  let project: TestProject;

  before(async () => {
    project = await TestProject.make(app.call, 'Open tables');
    await project.take('people.ndjson', patients(['one', 1], ['two', 1]));
  });

  const table = (name = 'patient') => `${root}/namespaces/open_tables/tables/${name}`;
  const load = async (key = app.key) => {
    const reply = await app.call('GET', table(), { key });
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };

  const openerOf = (loaded: Loaded) => ({
    client: clientOf(loaded),
    object: objectOf(loaded['metadata-location']),
  });

  test('projects are namespaces, by the name of the schema or the id', async () => {
    const { body } = await app.call('GET', `${root}/namespaces`);
    assert.deepEqual(body, { namespaces: [['open_tables']] });
    const one = await app.call('GET', `${root}/namespaces/${project.id}`);
    assert.deepEqual([one.body.namespace, one.body.properties.id], [['open_tables'], project.id]);
    const tables = await app.call('GET', `${root}/namespaces/open_tables/tables`);
    const names = tables.body.identifiers.map(({ name }: { name: string }) => name);
    assert.ok(names.includes('patient') && names.includes('resource'), String(names));
    const headers = { authorization: `Bearer ${app.key}` };
    assert.equal((await fetch(`${app.address}${table()}`, { method: 'HEAD', headers })).status, 200);
    for (const name of ['_resource', 'none']) {
      const { status, body } = await app.call('GET', table(name));
      assert.deepEqual([status, body.error.type, body.error.code], [404, 'NoSuchTableException', 404], name);
    }
  });

  test('a version has one metadata file, whose bytes and ranges a client of S3 reads', async () => {
    const loaded = await load();
    assert.equal((await load())['metadata-location'], loaded['metadata-location']);
    const { client, object } = openerOf(loaded);
    const head = await client.send(new HeadObjectCommand(object));
    const whole = await client.send(new GetObjectCommand(object));
    const text = (await whole.Body?.transformToString()) ?? '';
    assert.equal(head.ContentLength, Buffer.byteLength(text));
    assert.deepEqual(JSON.parse(text), loaded.metadata);
    const part = await client.send(new GetObjectCommand({ ...object, Range: 'bytes=2-9' }));
    assert.equal(await part.Body?.transformToString(), text.slice(2, 10));
    assert.equal(part.ContentRange, `bytes 2-9/${text.length}`);
    assert.equal(
      await statusOf(client.send(new GetObjectCommand({ ...object, Range: 'bytes=999999-' }))),
      416,
    );
  });

  test('rows are those of the present versions after each change', async () => {
    const records = async () => Number((await load()).metadata.snapshots[0].summary['total-records']);
    assert.equal(await records(), 2);
    const file = await project.take('later.ndjson', patients(['two', 2], ['three', 1]));
    assert.equal(await records(), 3);
    assert.equal((await app.call('DELETE', `/v1/files/${file}`)).status, 204);
    assert.equal(await records(), 2);
  });

  test('credentials open the objects of their table, unchanged and with their own signature', async () => {
    const loaded = await load();
    const { client, object } = openerOf(loaded);
    const other = await app.call('GET', table('resource'));
    const foreign = openerOf(other.body);
    const get = (one: S3Client, Key: string) => statusOf(one.send(new GetObjectCommand({ ...object, Key })));
    assert.equal(await get(client, foreign.object.Key), 403, 'an object of another table');
    assert.equal(await get(client, object.Key.replace(/-\d+-(?=[\da-f]{32}\.)/, '-1-')), 404, 'another size');
    const blob = /\/([\da-f]{32})-/.exec(foreign.object.Key)?.[1] ?? '';
    assert.equal(await get(client, object.Key.replace(/\/[\da-f]{32}-/, `/${blob}-`)), 404, 'another blob');
    const forged = { ...loaded, config: { ...loaded.config, 's3.secret-access-key': '0'.repeat(40) } };
    assert.equal(await get(clientOf(forged), object.Key), 403, 'another secret');
    const swapped = {
      ...loaded,
      config: { ...loaded.config, 's3.session-token': other.body.config['s3.session-token'] },
    };
    assert.equal(await get(clientOf(swapped), object.Key), 403, 'the token of another table');
    const plain = await fetch(`${app.address}/${object.Bucket}/${object.Key}`);
    assert.equal(plain.status, 403);
    assert.match(await plain.text(), /<Code>AccessDenied<\/Code>/);
  });

  test('reads of objects by a grant are one event a minute, with the credential that opened the table', async () => {
    const reader = await app.people.member(app.account, ['readData']);
    const { client, object } = openerOf(await load(reader.key));
    for (let at = 0; at < 20; at++)
      assert.equal(await statusOf(client.send(new GetObjectCommand(object))), 200);
    const events = app.people.records.read.selectFrom('audit_events').selectAll();
    const rows = await events
      .where('user_id', '=', reader.userId)
      .where('action', '=', 'lake.readObject')
      .execute();
    assert.deepEqual(
      rows.map(({ project_id, resource_type, via }) => [project_id, resource_type, via]),
      [[project.id, 'table', 'signature']],
    );
    const { table, credential } = JSON.parse(rows[0]?.details ?? '');
    assert.equal(table, 'patient');
    assert.match(credential, /^apiKey:/);
  });

  test('callers without rows open nothing, and credentials end with the right', async () => {
    const nobody = await app.people.member(app.account, ['createData']);
    const stranger = await app.people.owner('elsewhere');
    const { key } = nobody;
    assert.deepEqual((await app.call('GET', `${root}/namespaces`, { key })).body, { namespaces: [] });
    const { status, body } = await app.call('GET', `${root}/namespaces/${project.id}/tables/patient`, {
      key,
    });
    assert.deepEqual([status, body.error.type], [403, 'ForbiddenException']);
    const hidden = await app.call('GET', `${root}/namespaces/${project.id}`, { key: stranger.key });
    assert.equal(hidden.status, 404);
    const reader = await app.people.member(app.account, ['readData']);
    const { client, object } = openerOf(await load(reader.key));
    const read = () => statusOf(client.send(new GetObjectCommand(object)));
    assert.equal(await read(), 200);
    await app.people.withdraw(reader);
    assert.equal(await read(), 403);
  });
});
