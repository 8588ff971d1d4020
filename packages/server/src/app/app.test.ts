import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../config/config.ts';
import { openLog } from '../platform/log/log.ts';
import { createApp } from './app.ts';

test('a failing stop closes the rest of the service and reports the failure', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-stop-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const config = readConfig({
    PLOIDY_DATA_DIR: folder,
    PLOIDY_PORT: '0',
    PLOIDY_LOG_LEVEL: 'silent',
    PLOIDY_IDLE_WORKERS: '0',
  });
  const open = () => createApp(config, openLog('silent'));
  const failing = await open();
  failing.server.addHook('onClose', () => Promise.reject(new Error('does not close')));
  await failing.start();
  await assert.rejects(failing.stop(), /does not close/);
  // The folder, released last, is free again.
  const next = await open();
  await next.start();
  await next.stop();
});
