import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp(
  'rights to ingest',
  (app) => {
    test('a queued ingestion runs only while its user has the right to it', async () => {
      const project = await TestProject.make(app.call, 'Withdrawn');
      const leaver = await app.people.member(app.account, ['createData']);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: leaver.key, ...options }),
      );
      const fileId = await theirs.upload('theirs.vcf', vcfText('theirs', 3));
      const long = await project.startIngestion(await project.upload('long.vcf', vcfText('long', 300_000)));
      const waiting = await theirs.startIngestion(fileId);
      await app.people.withdraw(leaver);
      const end = await project.endOfIngestion(waiting);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'FORBIDDEN']);
      assert.equal((await project.endOfIngestion(long)).state, 'succeeded');
      assert.deepEqual(await project.ask('select distinct sample_id from variant'), ['long']);
    });

    test('masks of columns are chosen by those who may read the file, when the ingestion begins and when it runs', async () => {
      const project = await TestProject.make(app.call, 'Masks');
      const fileId = await project.upload('people.csv', 'patient_id,surname\np-1,Doe\n');
      const choosing = (mask: string, name = 'surname') => ({
        ...{ type: 'table', table: { name: 'people', columns: [{ name, mask }] } },
      });
      const writer = await app.people.member(app.account, ['createData', 'updateData', 'readMaskedData']);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: writer.key, ...options }),
      );
      for (const mask of ['none', 'code', 'hash', 'omb']) {
        const body = { datasetId: project.id, fileId, ...choosing(mask) };
        const { status, body: answer } = await theirs.call('POST', '/v1/ingestions', { body });
        assert.deepEqual([status, answer.code], [403, 'FORBIDDEN'], mask);
      }
      for (const options of [{ type: 'table' }, choosing('null'), choosing('hash', 'Patient ID')])
        assert.equal((await theirs.ingest(fileId, options)).state, 'succeeded', JSON.stringify(options));
      const readData = {
        rules: { readData: [{ 'user.id': { comparison: 'equals', value: writer.userId } }] },
      };
      const body = { name: 'May read', policy: readData };
      const policy = (await app.call('POST', '/v1/policies', { body })).body.id;
      assert.equal((await theirs.ingest(fileId, choosing('code'))).state, 'succeeded');
      const long = await project.startIngestion(await project.upload('long.vcf', vcfText('long', 300_000)));
      const waiting = await theirs.startIngestion(fileId, choosing('none'));
      assert.equal((await app.call('DELETE', `/v1/policies/${policy}`)).status, 204);
      const end = await project.endOfIngestion(waiting);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'FORBIDDEN']);
      assert.equal((await project.endOfIngestion(long)).state, 'succeeded');
    });

    test("a result is ingested while its user's rows cover it, and only such users see its content", async () => {
      const project = await TestProject.make(app.call, 'Results');
      await project.take('p.ndjson', fhirText('p', 3, 1));
      const person = await app.people.member(app.account, ['createData', 'updateData', 'readMaskedData']);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: person.key, ...options }),
      );
      const rule = { 'user.id': { comparison: 'equals', value: person.userId } };
      // Rows only: a rule on files does not allow reading the result.
      const tables = { ...rule, 'resource.type': { comparison: 'equals', value: 'table' } };
      const body = { name: 'Real rows', policy: { rules: { readData: [tables] } } };
      const policy = (await app.call('POST', '/v1/policies', { body })).body.id;
      const statement = 'SELECT patient_id, dob FROM patient';
      const { id } = await theirs.endOfQuery(await theirs.startQuery(statement, 'result.csv'));
      const options = { type: 'table', table: { name: 'mine', columns: [{ name: 'dob', mask: 'none' }] } };
      const whole = await theirs.startIngestion(id, options);
      assert.equal((await theirs.endOfIngestion(whole)).state, 'succeeded');
      const shown = async () => {
        const path = `/v1/ingestions?datasetId=${project.id}&fileId=${id}`;
        const listed = (await theirs.call('GET', path)).body.items.at(-1);
        const one = (await theirs.call('GET', `/v1/ingestions/${whole}`)).body;
        return [listed, one].map(({ fileName, found }) => [fileName, Object.keys(found)]);
      };
      const known = await shown();
      assert.deepEqual(known[0], known[1]);
      assert.deepEqual(known[0]?.[0], 'result.csv');
      const long = await project.startIngestion(await project.upload('long.vcf', vcfText('long', 300_000)));
      const waiting = await theirs.startIngestion(id, { type: 'table', table: { name: 'mine' } });
      assert.equal((await app.call('DELETE', `/v1/policies/${policy}`)).status, 204);
      const end = await project.endOfIngestion(waiting);
      assert.deepEqual([end.state, end.error?.code], ['failed', 'FORBIDDEN']);
      const again = { datasetId: project.id, fileId: id, ...{ type: 'table', table: { name: 'mine' } } };
      const refused = await theirs.call('POST', '/v1/ingestions', { body: again });
      assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN']);
      assert.deepEqual(await shown(), [
        ['', ['tables']],
        ['', ['tables']],
      ]);
      assert.equal((await project.endOfIngestion(long)).state, 'succeeded');
    });

    test('a caller limited to some patients neither moves nor deletes files with rows', async () => {
      const [whole, other] = [
        await TestProject.make(app.call, 'Whole'),
        await TestProject.make(app.call, 'Other'),
      ];
      const specimen = (patient: string, time: string) =>
        JSON.stringify({
          ...{ resourceType: 'Specimen', id: 'sp5', meta: { lastUpdated: time } },
          ...{ identifier: [{ value: 's5' }], subject: { reference: `Patient/${patient}` } },
        });
      await whole.take('s5.vcf', vcfText('s5', 13));
      const held = await whole.take('p5.ndjson', `${specimen('p5', '2026-01-01T00:00:00Z')}\n`);
      const foreign = await other.take('p1.ndjson', `${specimen('p1', '2026-11-01T00:00:00Z')}\n`);
      const { key, userId } = await app.people.member(app.account, [
        'createData',
        'updateData',
        'deleteData',
      ]);
      const equals = (value: string) => ({ comparison: 'equals', value });
      const readData = [
        { 'resource.subject': equals('p1'), 'resource.dataset': equals(whole.id) },
        { 'resource.type': equals('file') },
        { 'resource.dataset': equals(other.id) },
      ].map((rule) => ({ ...rule, 'user.id': equals(userId) }));
      const body = { name: 'Some patients', policy: { rules: { readData } } };
      assert.equal((await app.call('POST', '/v1/policies', { body })).status, 200);
      const theirs: Call = (method, path, options) => app.call(method, path, { key, ...options });
      const seen = async (): Promise<string[]> => whole.as(theirs).ask('SELECT count(*) FROM variant');
      const before = await seen();
      const move = (file: string, to: TestProject) =>
        theirs('PATCH', `/v1/files/${file}`, { body: { datasetId: to.id } });
      for (const refused of [
        await move(foreign, whole),
        await move(held, other),
        await theirs('DELETE', `/v1/files/${held}`),
      ]) {
        assert.deepEqual([refused.status, refused.body.code], [403, 'FORBIDDEN'], refused.text);
        assert.match(refused.body.error, /some patients only/);
      }
      assert.deepEqual(await seen(), before);
      // A file without rows is not restricted.
      assert.equal((await move(await other.upload('plain.txt', 'text'), whole)).status, 200);
    });

    test('an ingestion hides file name and samples from callers who may not read the file', async () => {
      const project = await TestProject.make(app.call, 'Named');
      const creator = await app.people.member(app.account, ['createData']);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: creator.key, ...options }),
      );
      const own = await theirs.startIngestion(await theirs.upload('own.vcf', vcfText('own', 1)));
      const options = { patientId: 'somebody' };
      const other = await project.startIngestion(
        await project.upload('secret.vcf', vcfText('s', 1)),
        options,
      );
      const list = async (call: Call) =>
        (await call('GET', `/v1/ingestions?datasetId=${project.id}`)).body.items;
      const shown = (items: { id: string; fileName: string; patientId?: string }[]) =>
        items.map(({ id, fileName, patientId }) => [id, fileName, patientId]);
      assert.deepEqual(shown(await list(theirs.call)), [
        [other, '', undefined],
        [own, 'own.vcf', undefined],
      ]);
      assert.deepEqual(shown([(await theirs.call('GET', `/v1/ingestions/${other}`)).body]), [
        [other, '', undefined],
      ]);
      const { key } = await app.people.member(app.account, ['readData']);
      const reader: Call = (method, path, options) => app.call(method, path, { key, ...options });
      assert.deepEqual(shown(await list(reader)), [
        [other, 'secret.vcf', 'somebody'],
        [own, 'own.vcf', undefined],
      ]);
    });

    test('the owner of a file sees its name; starting an ingestion of it alone does not reveal it', async () => {
      const project = await TestProject.make(app.call, 'Owned');
      const creator = await app.people.member(app.account, ['createData']);
      const theirs: Call = (method, path, options) =>
        app.call(method, path, { key: creator.key, ...options });
      const unknown = await project.upload('secret-name.txt', 'neither of these');
      const failed = await project.endOfIngestion(await project.startIngestion(unknown));
      assert.match(failed.error?.message ?? '', /^The format is not recognised: the file is not VCF/);
      const body = { datasetId: project.id, fileId: unknown };
      const begun = await theirs('POST', '/v1/ingestions', { body });
      assert.deepEqual([begun.status, begun.body.fileName], [202, ''], begun.text);
      const own = await project.as(theirs).upload('own.vcf', vcfText('own', 1));
      const { id } = (await app.call('POST', '/v1/ingestions', { body: { ...body, fileId: own } })).body;
      assert.equal((await theirs('GET', `/v1/ingestions/${id}`)).body.fileName, 'own.vcf');
    });
  },
  { PLOIDY_INGESTIONS_MAX: '1' },
  { ingestionShortBytes: 0 },
);
