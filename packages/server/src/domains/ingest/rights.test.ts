import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp(
  'rights to ingest',
  (app) => {
    test('an ingestion that waited runs only if whoever began it may still do it', async () => {
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

    test('who may not read a file learns from its ingestion neither its name nor whose samples it holds', async () => {
      const project = await TestProject.make(app.call, 'Named');
      const creator = await app.people.member(app.account, ['createData']);
      const theirs = project.as((method, path, options) =>
        app.call(method, path, { key: creator.key, ...options }),
      );
      const own = await theirs.startIngestion(await theirs.upload('own.vcf', vcfText('own', 1)));
      const told = { patientId: 'somebody' };
      const other = await project.startIngestion(await project.upload('secret.vcf', vcfText('s', 1)), told);
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

    test('the name of a file is no secret to its owner, nor to who begins an ingestion an open door to it', async () => {
      const project = await TestProject.make(app.call, 'Owned');
      const creator = await app.people.member(app.account, ['createData']);
      const theirs: Call = (method, path, options) =>
        app.call(method, path, { key: creator.key, ...options });
      const unknown = await project.upload('secret-name.txt', 'neither of these');
      const failed = await project.endOfIngestion(await project.startIngestion(unknown));
      assert.match(failed.error?.message ?? '', /^The file is neither VCF/);
      const body = { datasetId: project.id, fileId: unknown };
      const begun = await theirs('POST', '/v1/ingestions', { body });
      assert.deepEqual([begun.status, begun.body.fileName], [202, ''], begun.text);
      const own = await project.as(theirs).upload('own.vcf', vcfText('own', 1));
      const { id } = (await app.call('POST', '/v1/ingestions', { body: { ...body, fileId: own } })).body;
      assert.equal((await theirs('GET', `/v1/ingestions/${id}`)).body.fileName, 'own.vcf');
    });
  },
  { PLOIDY_INGESTIONS_MAX: '1' },
);
