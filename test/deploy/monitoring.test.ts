import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '../../release/build.ts';
import { describeOnSqlite } from '../support/app.ts';

const folder = join(root, 'deploy', 'monitoring');
const rules = join(folder, 'alerts.yaml');
/** Debian's; another one by its path. */
const promtool = process.env['PLOIDY_TEST_PROMTOOL'] ?? '/usr/bin/promtool';
const skip =
  existsSync(promtool) || process.env['CI'] === 'true'
    ? false
    : `There is no ${promtool}: apt-get install prometheus, or set PLOIDY_TEST_PROMTOOL.`;

interface Dashboard {
  panels: { targets: { expr: string }[] }[];
}

/** Returns the expressions of the panels of the dashboard. */
function panelExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync(join(folder, 'dashboard.json'), 'utf8')) as Dashboard;
  return panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
}

describeOnSqlite('dashboard and alerts', (app) => {
  test('every metric that they name exists', async () => {
    const { text } = await app.call('GET', '/metrics');
    const declared = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    );
    const exists = (name: string): boolean =>
      declared.has(name) || declared.get(name.replace(/_(?:bucket|count|sum)$/, '')) === 'histogram';
    const texts = panelExpressions();
    const expressions = [...readFileSync(rules, 'utf8').matchAll(/^ +expr: (.*)$/gm)].map(
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

test('Prometheus accepts the rules, and the expressions of the dashboard', { skip }, (context) => {
  const place = mkdtempSync(join(tmpdir(), 'ploidy-rules-'));
  context.after(() => rmSync(place, { recursive: true, force: true }));
  const panels = join(place, 'panels.json');
  const records = panelExpressions().map((expr, at) => ({ record: `panel:${at}`, expr }));
  writeFileSync(panels, JSON.stringify({ groups: [{ name: 'panels', rules: records }] }));
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'rules', rules, panels], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
});
