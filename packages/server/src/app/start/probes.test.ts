import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestApp } from '../../../../../test/support/app.ts';
import { freePort } from '../../../../../test/support/free-port.ts';

test('the port for probes answers them for the whole service until it stops', async () => {
  const port = await freePort();
  const app = await openTestApp({ PLOIDY_PROBES_PORT: String(port) });
  const probes = `http://127.0.0.1:${port}`;
  try {
    assert.equal((await fetch(`${probes}/healthz`)).status, 200);
    const ready = Object(await (await fetch(`${probes}/readyz`)).json());
    assert.equal(ready.status, 'ready');
    assert.match(ready.version, /^\d+\.\d+\.\d+$/);
    assert.match(await (await fetch(`${probes}/metrics`)).text(), /^ploidy_http_requests_in_work 0$/m);
  } finally {
    await app.stop();
  }
  await assert.rejects(fetch(`${probes}/healthz`));
});
