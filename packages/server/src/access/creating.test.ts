import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { TestProject } from '../../../../test/inputs/project.ts';
import { vcfText } from '../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../test/support/app.ts';
import type { Person } from '../../../../test/support/people.ts';
import type { Privilege } from './operations.ts';
import type { ResourceAttributes } from './resource.ts';

const equals = (value: string) => ({ comparison: 'equals', value });
const ownOnly = { 'resource.ownerId': { comparison: 'equals', target: 'user.id' } };

describeApp('rights to make resources', (app) => {
  const limitedTo = (privileges: Privilege[], ...types: ResourceAttributes['type'][]): Promise<Person> =>
    app.people.member(app.account, privileges, {
      'resource.type': { comparison: 'in', value: types },
    });
  const as =
    ({ key }: Person) =>
    (method: string, path: string, body?: object) =>
      app.call(method, path, { key, ...(body && { body }) });

  test('a rule on the type file permits uploads, in one piece and in parts, and nothing else', async () => {
    const project = await TestProject.make(app.call, 'Files only');
    const call = as(await limitedTo(['createData'], 'file'));
    const inProject = { datasetId: project.id };
    const whole = await call('POST', '/v1/files', { ...inProject, name: 'a.vcf' });
    assert.equal(whole.status, 200, whole.text);
    const sent = await fetch(new URL(whole.body.uploadUrl, app.address), {
      method: 'PUT',
      body: vcfText('s', 1),
    });
    assert.equal(sent.status, 200);
    const parts = await call('POST', '/v1/uploads', { ...inProject, name: 'b.txt' });
    assert.equal((await call('GET', `/v1/uploads/${parts.body.uploadId}/parts/1`)).status, 200);
    const ingested = { ...inProject, name: 'c.vcf', ingest: true };
    assert.equal((await call('POST', '/v1/files', ingested)).status, 403);
    const ingestion = { ...inProject, fileId: whole.body.id };
    assert.equal((await call('POST', '/v1/ingestions', ingestion)).status, 403);
    assert.equal((await call('POST', '/v1/cohorts', { name: 'c', ownerProject: project.id })).status, 403);
  });

  test('a rule on the type project permits no upload', async () => {
    const project = await TestProject.make(app.call, 'Project only');
    const call = as(await limitedTo(['createData'], 'project', 'upload' as never));
    assert.equal((await call('POST', '/v1/files', { datasetId: project.id, name: 'a' })).status, 403);
  });

  test('a rule on the type ingestion permits an ingestion and its run, given a right to the file', async () => {
    const project = await TestProject.make(app.call, 'Ingestions only');
    const fileId = await project.upload('a.vcf', vcfText('s', 3));
    const body = { datasetId: project.id, fileId };
    const blind = as(await limitedTo(['createData'], 'ingestion'));
    assert.equal((await blind('POST', '/v1/ingestions', body)).status, 403);
    const call = as(await limitedTo(['createData', 'readData'], 'ingestion', 'file'));
    const begun = await call('POST', '/v1/ingestions', body);
    assert.equal(begun.status, 202, begun.text);
    assert.equal((await project.endOfIngestion(begun.body.id)).state, 'succeeded');
  });

  test('a rule on own resources permits to make files and cohorts, also to continue and change them', async () => {
    const project = await TestProject.make(app.call, 'Own only');
    const person = await app.people.member(app.account, ['createData', 'updateData', 'deleteData'], ownOnly);
    const call = as(person);
    const foreign = await project.upload('foreign.txt', 'foreign');
    const begun = await call('POST', '/v1/files', { datasetId: project.id, name: 'own.txt' });
    assert.equal(begun.status, 200, begun.text);
    const put = (content: string) =>
      fetch(new URL(begun.body.uploadUrl, app.address), { method: 'PUT', body: content });
    assert.equal((await put('own')).status, 200);
    const renamed = await call('PATCH', `/v1/files/${begun.body.id}`, { name: 'renamed.txt' });
    assert.equal(renamed.status, 200, renamed.text);
    assert.equal((await call('PATCH', `/v1/files/${foreign}`, { name: 'mine.txt' })).status, 403);
    assert.equal((await call('DELETE', `/v1/files/${foreign}`)).status, 403);
    const id = foreign.toUpperCase();
    const replace = await call('POST', '/v1/files', { id, datasetId: project.id, name: 'foreign.txt' });
    assert.equal(replace.status, 403);
    const ingestion = { datasetId: project.id, fileId: foreign };
    assert.equal((await call('POST', '/v1/ingestions', ingestion)).status, 403);
    const cohort = { name: 'own', ownerProject: project.id };
    assert.equal((await call('POST', '/v1/cohorts', cohort)).status, 200);
    assert.equal((await call('DELETE', `/v1/files/${begun.body.id}`)).status, 204);
  });

  test('rules on types permit to make projects, groups, clients and policies each alone', async () => {
    const makes = {
      project: ['projectAdmin', '/v1/projects', {}],
      group: ['accessAdmin', '/v1/account/groups', { name: `Made ${randomUUID()}` }],
      client: ['accountAdmin', '/v1/clients', { callbackUrls: ['https://a.example/b'] }],
      policy: ['accessAdmin', '/v1/policies', { policy: { rules: { nothing: true } } }],
    } as const;
    for (const [type, [privilege]] of Object.entries(makes)) {
      const call = as(await limitedTo([privilege], type as ResourceAttributes['type']));
      for (const [other, [, path, body]] of Object.entries(makes)) {
        const { status, text } = await call('POST', path, { ...body, name: `Made ${randomUUID()}` });
        assert.equal(status === 403, other !== type, `${type} asks for ${other}: ${text}`);
      }
    }
  });

  test('a rule on own resources makes no user an administrator', async () => {
    const privileges: Privilege[] = ['accessAdmin', 'accountAdmin', 'projectAdmin'];
    const call = as(await app.people.member(app.account, privileges, ownOnly));
    for (const [path, body] of [
      ['/v1/projects', { name: 'p' }],
      ['/v1/account/groups', { name: 'g' }],
      ['/v1/clients', { name: 'c', callbackUrls: ['https://a.example/b'] }],
      ['/v1/policies', { name: 'p', policy: { rules: { nothing: true } } }],
    ] as const)
      assert.equal((await call('POST', path, body)).status, 403, path);
  });

  test('rows enter a project with their file only by the right to ingest there', async () => {
    const [from, to] = [await TestProject.make(app.call, 'From'), await TestProject.make(app.call, 'To')];
    const held = await from.take('rows.vcf', vcfText('s', 2));
    const plain = await from.upload('plain.txt', 'text');
    const call = as(
      await app.people.member(app.account, ['createData', 'readData', 'updateData'], {
        'resource.type': equals('file'),
      }),
    );
    const move = (file: string) => call('PATCH', `/v1/files/${file}`, { datasetId: to.id });
    const refused = await move(held);
    assert.equal(refused.status, 403);
    assert.match(refused.body.error, /createData for ingestions/);
    assert.equal((await move(plain)).status, 200);
  });

  test('an explanation decides about a resource to be made as its route does', async () => {
    const project = await TestProject.make(app.call, 'Explained');
    const { id: dataset } = project;
    const own = await app.people.member(app.account, ['createData'], ownOnly);
    const queries = await limitedTo(['readData'], 'query');
    const tables = await limitedTo(['readMaskedData'], 'table');
    const some = await app.people.member(app.account, ['readData'], { 'resource.subject': equals('p1') });
    const query = { datasetId: dataset, query: 'SELECT 1 AS a', outputFileName: 'a' };
    const lake = ['POST', '/v1/analytics/data-lake/query?dryRun=true', query] as const;
    const file = ['POST', '/v1/files', { datasetId: dataset, name: 'explained.txt' }] as const;
    const cohort = ['POST', '/v1/cohorts', { name: 'c', ownerProject: dataset }] as const;
    for (const [person, privilege, type, [method, path, body]] of [
      [own, 'createData', 'file', file],
      [own, 'createData', 'cohort', cohort],
      [queries, 'readData', 'query', lake],
      [tables, 'readMaskedData', 'query', lake],
      [tables, 'createData', 'file', file],
      [some, 'readData', 'query', lake],
      [some, 'readData', 'table', lake],
    ] as const) {
      const call = as(person);
      const resource = { dataset, type };
      const reported = await call('POST', '/v1/policies/explain', { privilege, resource });
      const { status, text } = await call(method, path, body);
      assert.equal(reported.body.allowed, status === 200, `${type}: ${reported.text} ${text}`);
    }
  });
});

describeApp('the default policy of Subjects', (app) => {
  test('members of Subjects make, read, change and delete own files, and ingest none', async () => {
    const { id: userId } = await app.people.link('subject@main.test');
    const groups = (await app.call('GET', '/v1/account/groups')).body.items;
    const subjects = groups.find(({ name }: { name: string }) => name === 'Subjects').id;
    const users = groups.find(({ name }: { name: string }) => name === 'Users').id;
    const joined = await app.call('PUT', `/v1/account/groups/${subjects}/members/subject@main.test`);
    assert.ok(joined.status < 300, joined.text);
    const keys = {
      name: 'Keys',
      policy: { rules: { apiKeyUser: [{ 'user.id': equals(userId) }] } },
    };
    assert.equal((await app.call('POST', '/v1/policies', { body: keys })).status, 200);
    await app.call('DELETE', `/v1/account/groups/${users}/members/subject@main.test`);
    const key = await app.people.key(userId, app.account);
    const call = (method: string, path: string, body?: object) =>
      app.call(method, path, { key, ...(body && { body }) });
    const project = await TestProject.make(app.call, 'Of subjects');
    const theirs = await project.upload('theirs.txt', 'theirs');
    const begun = await call('POST', '/v1/files', { datasetId: project.id, name: 'own.vcf' });
    assert.equal(begun.status, 200, begun.text);
    const url = new URL(begun.body.uploadUrl, app.address);
    assert.equal((await fetch(url, { method: 'PUT', body: vcfText('s', 1) })).status, 200);
    const { id } = begun.body;
    assert.equal((await call('GET', `/v1/files/${id}`)).status, 200);
    assert.equal((await call('GET', `/v1/files/${theirs}`)).status, 403);
    assert.equal((await call('PATCH', `/v1/files/${id}`, { name: 'renamed.vcf' })).status, 200);
    for (const fileId of [id, theirs]) {
      const refused = await call('POST', '/v1/ingestions', { datasetId: project.id, fileId });
      assert.equal(refused.status, 403, refused.text);
    }
    const ingested = { datasetId: project.id, name: 'ingested.vcf', ingest: true };
    assert.equal((await call('POST', '/v1/files', ingested)).status, 403);
    const replaced = { datasetId: project.id, id, name: 'renamed.vcf', ingest: true };
    assert.equal((await call('POST', '/v1/files', replaced)).status, 403);
    assert.equal((await call('DELETE', `/v1/files/${theirs}`)).status, 403);
    assert.equal((await call('DELETE', `/v1/files/${id}`)).status, 204);
  });
});
