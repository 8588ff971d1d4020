import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { describeApp, openTestApp } from '../support/app.ts';
import { adminHere, assertWhole, emptyPlace, newFolder } from './operator.ts';

describeApp('own tables in a backup', (app) => {
  test('a restored service has the table with its columns, masks and rows', async (context) => {
    const project = await TestProject.make(app.call, 'Backed up');
    const table = { name: 'biobank', columns: [{ name: 'volume', mask: 'none' }] };
    await project.take('list.csv', 'patient_id,volume,note\np-1,1.5,secret\n', { type: 'table', table });
    const folder = newFolder(context);
    const made = await adminHere(app.settings, 'backup', folder, '--with-key');
    assert.equal(made.code, 0, made.err);
    const place = await emptyPlace(context, app.people.records.dialect);
    const restored = await adminHere(place, 'restore', folder);
    assert.equal(restored.code, 0, restored.err);
    await assertWhole(place);
    const there = await openTestApp(place);
    context.after(() => there.stop());
    const again = TestProject.at(
      (method, path, options) => there.call(method, path, { key: app.key, account: app.account, ...options }),
      project.id,
    );
    assert.deepEqual(await again.ask('SELECT * FROM biobank'), ['p-1,1.5,secret']);
    const { key } = await there.people.member(app.account, ['readMaskedData']);
    const masked = TestProject.at(
      (method, path, options) => there.call(method, path, { key, account: app.account, ...options }),
      project.id,
    );
    assert.deepEqual(await masked.ask('SELECT volume, note FROM biobank'), ['1.5,']);
  });
});
