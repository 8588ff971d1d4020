import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { vcfText } from '../../../../../test/inputs/texts.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';

describeApp(
  'large ingestions of one account',
  (app) => {
    test('long ingestions wait in turn and report it, and leave a place to a small file of another account', async () => {
      const large = await TestProject.make(app.call, 'Large');
      const text = vcfText('large', 200_000);
      const files = [];
      for (const name of ['a.vcf', 'b.vcf', 'c.vcf', 'd.vcf']) files.push(await large.upload(name, text));
      const other = await app.people.owner('smallfiles');
      const theirs: Call = (method, path, options) =>
        app.call(method, path, { key: other.key, account: other.account, ...options });
      const small = await TestProject.make(theirs, 'Small');
      const fileId = await small.upload('small.vcf', vcfText('small', 1));
      const begun: string[] = [];
      for (const file of files) begun.push(await large.startIngestion(file));
      const end = await small.ingest(fileId);
      assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      // One runs, by PLOIDY_INGESTIONS_MAX. Positions are those of a second ago at most.
      await until(async () => {
        const states = await Promise.all(begun.map((id) => app.call('GET', `/v1/ingestions/${id}`)));
        const waits = states.flatMap(({ body }) => (body.state === 'queued' ? [body.waiting.position] : []));
        return waits.length > 0 && waits.every((position, at) => position === at + 1);
      }, 'they wait in turn');
      for (const id of begun.toReversed()) await app.call('DELETE', `/v1/ingestions/${id}`);
    });
  },
  { PLOIDY_INGESTIONS_MAX: '1' },
  { ingestionShortBytes: 100_000 },
);
