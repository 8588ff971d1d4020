import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, type Reply } from '../../../../../../test/support/app.ts';

interface Reader {
  id: string;
  type: string;
  owner: boolean;
  countsMin: number;
  rights: { right: string; extent: string; policies: string[]; policyCount: number }[];
}

describeApp(
  'readers of a project',
  (app) => {
    let project: TestProject;
    const path = () => `/v1/projects/${project.id}/access`;
    const readers = async (): Promise<Map<string, Reader>> => {
      const { status, body, text } = await app.call('GET', `${path()}?pageSize=100`);
      assert.equal(status, 200, text);
      return new Map(body.items.map((one: Reader) => [one.id, one]));
    };
    const rightsOf = (reader: Reader | undefined) =>
      (reader?.rights ?? []).map(({ right, extent }) => `${right} ${extent}`);

    before(async () => {
      project = await TestProject.make(app.call, 'Seen');
      await project.take('p.ndjson', fhirText('p', 3, 1));
    });

    test('each right has its extent and the policies that grant it', async () => {
      const here = { 'resource.dataset': { comparison: 'equals', value: project.id } };
      const some = { ...here, 'resource.subject': { comparison: 'equals', value: 'p-1' } };
      const elsewhere = { 'resource.dataset': { comparison: 'equals', value: 'another' } };
      const [whole, limited, masked, none] = await Promise.all([
        app.people.member(app.account, ['readData', 'updateData'], here),
        app.people.member(app.account, ['readData'], some),
        app.people.member(app.account, ['readMaskedData'], here),
        app.people.member(app.account, ['readData'], elsewhere),
      ]);
      const found = await readers();
      // Everybody in this group may read own files.
      assert.deepEqual(rightsOf(found.get(none.userId)), ['readFiles some']);
      assert.deepEqual(rightsOf(found.get(whole.userId)), [
        'readFiles all',
        'changeFiles all',
        'readRows all',
      ]);
      assert.deepEqual(rightsOf(found.get(limited.userId)), ['readFiles some', 'readRows some']);
      const ofMasked = found.get(masked.userId);
      assert.deepEqual(rightsOf(ofMasked), ['readFiles some', 'readMaskedRows all']);
      assert.equal(ofMasked?.countsMin, 3);
      const maskedRows = ofMasked?.rights.find(({ right }) => right === 'readMaskedRows');
      assert.match(maskedRows?.policies.join() ?? '', /^[^,]+@.+\.test$/);
      const own = ofMasked?.rights.find(({ right }) => right === 'readFiles');
      assert.deepEqual([own?.policies, own?.policyCount], [['Subject Access'], 1]);
      const owner = [...found.values()].find((one) => one.owner);
      const administers = owner?.rights.find(({ right }) => right === 'administer');
      assert.deepEqual([administers?.extent, administers?.policies], ['all', ['Administrator Access']]);
    });

    test('a client is listed where it acts for itself', async () => {
      const make = (body: object) =>
        app.call('POST', '/v1/clients', { body: { name: 'Robot', generateSecret: true, ...body } });
      const robot = (await make({ allowedOAuthFlows: ['client_credentials'] })).body;
      const portal = (await make({ callbackUrls: ['https://app.example/callback'] })).body;
      const rule = { 'user.id': { comparison: 'equals', value: robot.id } };
      const policy = { rules: { readMaskedData: [rule] } };
      await app.call('POST', '/v1/policies', { body: { name: 'Of the robot', policy } });
      const found = await readers();
      assert.equal(found.has(portal.id), false);
      assert.equal(found.get(robot.id)?.type, 'client');
      assert.deepEqual(found.get(robot.id)?.rights, [
        { right: 'readMaskedRows', extent: 'all', policies: ['Of the robot'], policyCount: 1 },
      ]);
    });

    test('pages hold each person once; the list needs accessAdmin', async () => {
      const whole = [...(await readers()).keys()];
      const seen: string[] = [];
      for (let next: string | undefined = `${path()}?pageSize=2`; next; ) {
        const { body }: Reply = await app.call('GET', next);
        seen.push(...body.items.map(({ id }: Reader) => id));
        next = body.links.next;
      }
      assert.deepEqual(seen, whole);
      const reader = await app.people.member(app.account, ['readData', 'projectAdmin']);
      for (const address of [path(), `/v1/projects/${project.id}/masked-columns`])
        assert.equal((await app.call('GET', address, { key: reader.key })).status, 403);
      const stranger = await app.people.owner('outside');
      assert.equal((await app.call('GET', path(), stranger)).status, 404);
    });

    test('masked columns are those of the tables of the project', async () => {
      const { body } = await app.call('GET', `/v1/projects/${project.id}/masked-columns?pageSize=1000`);
      const columns: { table: string; column: string; mask: string; hasPatients: boolean }[] = body.items;
      const of = (table: string) => columns.filter((one) => one.table === table);
      assert.equal(of('patient').find(({ column }) => column === 'dob')?.mask, 'year');
      assert.equal(of('patient').find(({ column }) => column === 'patient_id')?.mask, 'hash');
      assert.ok(columns.every(({ mask }) => mask !== 'none'));
      assert.deepEqual(of('variant'), []);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '3' },
);
