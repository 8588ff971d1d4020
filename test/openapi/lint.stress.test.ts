/** The API document satisfies the linters of others without an error or a warning, under the rules beside this file. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { npmTool, root } from '../deploy/tools.ts';

const document = join(root, 'docs/openapi.json');

function lint(program: string, ...words: string[]): void {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = spawnSync(program, words, {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  assert.equal(status, 0, `${stdout}${stderr}`);
}

test('Redocly finds no problem in the API document', () => {
  const rules = join(import.meta.dirname, 'redocly.yaml');
  lint(npmTool('redocly', '@redocly/cli@2.77.0'), 'lint', document, '--config', rules);
});

test('Spectral finds no problem in the API document', () => {
  const rules = join(import.meta.dirname, 'spectral.yaml');
  const program = npmTool('spectral', '@stoplight/spectral-cli@6.16.3');
  lint(program, 'lint', document, '--ruleset', rules, '--fail-severity', 'hint');
});
