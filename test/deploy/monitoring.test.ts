import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { describeOnSqlite } from '../support/app.ts';
import { alertRules, panelExpressions, promtool, promtoolSkip } from './tools.ts';

describeOnSqlite('dashboard and alerts', (app) => {
  test('every metric that they name exists', async () => {
    const { text } = await app.call('GET', '/metrics');
    const declared = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    );
    const exists = (name: string): boolean =>
      declared.has(name) || declared.get(name.replace(/_(?:bucket|count|sum)$/, '')) === 'histogram';
    const texts = panelExpressions();
    const expressions = [...readFileSync(alertRules, 'utf8').matchAll(/^ +expr: (.*)$/gm)].map(
      ([, expr = '']) => expr,
    );
    assert.ok(texts.length > 10 && expressions.length > 5);
    const named = [...texts, ...expressions].flatMap((expr) =>
      [...expr.matchAll(/\b(?:ploidy|nodejs|process)_\w+/g)].map(([name]) => name),
    );
    assert.ok(named.length >= texts.length);
    assert.deepEqual(
      named.filter((name) => !exists(name)),
      [],
    );
  });
});

test('Prometheus accepts the rules, and the expressions of the dashboard', {
  skip: promtoolSkip,
}, (context) => {
  const place = mkdtempSync(join(tmpdir(), 'ploidy-rules-'));
  context.after(() => rmSync(place, { recursive: true, force: true }));
  const panels = join(place, 'panels.json');
  const records = panelExpressions().map((expr, at) => ({ record: `panel:${at}`, expr }));
  writeFileSync(panels, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', alertRules, panels], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});
