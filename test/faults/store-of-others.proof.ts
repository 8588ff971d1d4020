/** A service that came to the store of another one while that store did not answer: the start could not see it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { createApp } from '../../packages/server/src/app.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { openLog } from '../../packages/server/src/log.ts';
import { openTestApp } from '../support/app.ts';
import { commandLine } from '../support/command-line.ts';
import { startS3 } from '../support/s3/server.ts';

const arrival = 'some/prefix/incoming/0198c000-0000-7000-8000-000000000000';

/** A service that was used and is stopped, with the settings of the store of others, which does not answer. */
async function misled(context: TestContext) {
  const [own, store] = [await startS3(), await startS3()];
  context.after(() => Promise.all([own.close(), store.close()]));
  const app = await openTestApp(own.settings);
  await app.app.stop();
  context.after(() => app.stop());
  store.bucket.put('some/prefix/owner', Buffer.from('others'));
  store.bucket.put(arrival, Buffer.from('of their client'));
  store.fault = () => ({ status: 403, code: 'AccessDenied' });
  return { store, settings: { ...app.settings, ...store.settings } };
}

test('what clients have sent to another service is not swept', async (context) => {
  const { store, settings } = await misled(context);
  const app = await createApp(readConfig(settings), openLog('silent'));
  store.fault = () => undefined;
  store.served.length = 0;
  await app.start();
  while (store.served.length === 0) await delay(10);
  await delay(500);
  await app.stop();
  assert.ok(store.bucket.objects.has(arrival), store.served.join('\n'));
});

test('the service ends as its start would have as soon as the store answers, and says why', {
  timeout: 60_000,
}, async (context) => {
  const { store, settings } = await misled(context);
  const home = commandLine();
  const { child, ended } = home.start(['serve'], { env: settings });
  context.after(() => {
    child.kill('SIGKILL');
    home.remove();
  });
  assert.ok(child.stdout);
  await Promise.race([once(child.stdout, 'data'), ended]);
  store.fault = () => undefined;
  const { code, err } = await ended;
  assert.match(err, /^Ploidy could not go on: The store of files belongs to other records/m);
  assert.equal(code, 1);
  assert.ok(store.bucket.objects.has(arrival));
});
