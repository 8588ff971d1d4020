import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { openTestApp } from '../../../../test/support/app.ts';
import { People } from '../../../../test/support/people.ts';

test('a stop writes the number of the uses and refusals that are no events of their own', async (context) => {
  const { app, call, put, people, account, folder, settings } = await openTestApp();
  context.after(() => rmSync(folder, { recursive: true }));
  const project = (await call('POST', '/v1/projects', { body: { name: 'Counted' } })).body.id;
  const file = await put(project, 'counted.txt', 'bytes');
  const { downloadUrl } = (await call('GET', `/v1/files/${file}?include=downloadUrl`)).body;
  for (let at = 0; at < 5; at++) assert.equal(await (await fetch(downloadUrl)).text(), 'bytes');
  const { key } = await people.member(account, []);
  for (let at = 0; at < 62; at++) assert.equal((await call('GET', `/v1/files/${file}`, { key })).status, 403);
  await app.stop();
  const after = await People.open(settings);
  const events = await after.records.read
    .selectFrom('audit_events')
    .select(['action', 'details'])
    .where('action', 'in', ['transfers.download', 'refusals'])
    .orderBy('sequence')
    .execute();
  await after.close();
  assert.deepEqual(
    events.map(({ action, details }) => `${action} ${JSON.parse(details).further ?? details}`),
    [
      events[0] && `transfers.download ${events[0].details}`,
      'refusals {"notWritten":2}',
      'transfers.download 4',
    ],
  );
});
