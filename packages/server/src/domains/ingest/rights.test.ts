import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../../../../../test/inputs/project.ts';
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
  },
  { PLOIDY_INGESTIONS_MAX: '1' },
);
