import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { closeToOthers } from './open-to-others.ts';

// asvs: 13.3.2
test('a configuration file open to all users of the host is warned about, and the data folder is closed', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'ploidy-others-'));
  context.after(() => rmSync(root, { recursive: true }));
  const [configFile, dataFolder] = [join(root, 'ploidy.env'), join(root, 'data')];
  const warned = (file: string | undefined = configFile): string[] => {
    const lines: string[] = [];
    const log = { warn: (line: unknown) => void lines.push(String(line)) };
    closeToOthers({ configFile: file, dataFolder, publicUrl: undefined, trustedProxies: [] }, log as never);
    return lines.map((line) => (line.startsWith('PLOIDY_CONFIG_FILE') ? 'settings' : 'folder'));
  };
  assert.deepEqual(warned(), [], 'what is not there yet is made as it should be');
  writeFileSync(configFile, 'PLOIDY_PORT=1');
  mkdirSync(dataFolder);
  for (const [file, mode, reported] of [
    [0o600, 0o700, []],
    [0o640, 0o755, []],
    [0o644, 0o777, ['settings']],
  ] as const) {
    chmodSync(configFile, file);
    chmodSync(dataFolder, mode);
    assert.deepEqual(warned(), reported, `${file.toString(8)} ${mode.toString(8)}`);
    assert.equal(statSync(dataFolder).mode & 0o777, 0o700);
  }
  assert.deepEqual(warned(''), [], 'without a file of settings');
});

test('a public https address without trusted proxies is warned of, since all clients would share a limit', () => {
  const warned = (publicUrl: string | undefined, trustedProxies: string[]): number => {
    let lines = 0;
    const log = { warn: () => void lines++ };
    closeToOthers({ configFile: undefined, dataFolder: '/nowhere', publicUrl, trustedProxies }, log as never);
    return lines;
  };
  assert.equal(warned('https://data.example.org', []), 1);
  assert.equal(warned('https://data.example.org', ['10.0.0.0/8']), 0);
  assert.equal(warned('http://localhost:8080', []), 0);
  assert.equal(warned(undefined, []), 0);
});
