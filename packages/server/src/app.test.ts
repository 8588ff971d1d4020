import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
import { openLog } from './log.ts';

test('a service whose stop fails somewhere closes all the rest, and says what failed', async (context) => {
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
  // The folder is free again, which is the last that a service lets go.
  const next = await open();
  await next.start();
  await next.stop();
});
