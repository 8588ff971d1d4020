/** A real Prometheus reads a service that has done work: all rules are evaluated, and every expression of the dashboard has values with its labels. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { describeOnSqlite, type TestApp } from '../support/app.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { alertRules, panelExpressions } from './tools.ts';

/** Debian's; another one by its path. */
const prometheus = process.env['PLOIDY_TEST_PROMETHEUS'] ?? '/usr/bin/prometheus';
const skip =
  existsSync(prometheus) || process.env['CI'] === 'true'
    ? false
    : `There is no ${prometheus}: apt-get install prometheus, or set PLOIDY_TEST_PROMETHEUS.`;

interface Rule {
  name: string;
  health: string;
  lastError?: string;
  lastEvaluation: string;
}

describeOnSqlite('Prometheus', (app) => {
  let child: ChildProcess;
  let folder: string;
  let address: string;

  before(async () => {
    if (skip) return;
    await work(app);
    folder = mkdtempSync(join(tmpdir(), 'ploidy-prometheus-'));
    const port = await freePort();
    address = `http://127.0.0.1:${port}/api/v1`;
    const file = join(folder, 'prometheus.yml');
    const global = { scrape_interval: '1s', evaluation_interval: '1s' };
    const targets = [{ targets: [new URL(app.address).host] }];
    const scrape_configs = [{ job_name: 'ploidy', static_configs: targets }];
    writeFileSync(file, JSON.stringify({ global, rule_files: [alertRules], scrape_configs }));
    const words = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`];
    child = spawn(prometheus, [...words, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' });
    await until(async () => (await values('up == 1')).length === 1, 'Prometheus has read the service');
  });
  after(async () => {
    if (skip) return;
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns the answer of Prometheus; `undefined` until it listens. */
  async function ask<T>(path: string): Promise<T | undefined> {
    const reply = await fetch(`${address}${path}`).catch(() => undefined);
    if (reply?.status !== 200) return undefined;
    return ((await reply.json()) as { data: T }).data;
  }

  async function values(expression: string): Promise<Record<string, string>[]> {
    const query = encodeURIComponent(expression);
    const data = await ask<{ result: { metric: Record<string, string> }[] }>(`/query?query=${query}`);
    return data?.result.map(({ metric }) => metric) ?? [];
  }

  test('evaluates every rule', { skip }, async () => {
    const rules = async (): Promise<Rule[]> =>
      (await ask<{ groups: { rules: Rule[] }[] }>('/rules'))?.groups.flatMap((group) => group.rules) ?? [];
    await until(async () => {
      const found = await rules();
      return found.length > 0 && found.every(({ health }) => health !== 'unknown');
    }, 'each rule was evaluated');
    for (const { name, health, lastError } of await rules())
      assert.equal(health, 'ok', `${name} ${lastError}`);
  });

  test('finds values with the labels that each expression of the dashboard names', {
    skip,
  }, async () => {
    for (const expression of panelExpressions()) {
      await until(async () => (await values(expression)).length > 0, expression);
      const [, labels = ''] = /\bby \(([^)]*)\)/.exec(expression) ?? [];
      const named = labels.split(/, ?/).filter((label) => label !== '' && label !== 'le');
      for (const found of await values(expression))
        assert.deepEqual(
          named.filter((label) => found[label] === undefined),
          [],
          expression,
        );
    }
  });
});

/** Leaves an ingestion, a failed statement, and a job that waits, as no process has its kind. */
async function work({ app, call, put }: TestApp): Promise<void> {
  const { body: project } = await call('POST', '/v1/projects', { body: { name: 'Trial' } });
  const patient = { resourceType: 'Patient', id: 'p1' };
  const fileId = await put(project.id, 'patients.ndjson', `${JSON.stringify(patient)}\n`);
  const ingestion = await call('POST', '/v1/ingestions', { body: { datasetId: project.id, fileId } });
  const lake = '/v1/analytics/data-lake/query';
  const query = "SELECT CAST('x' AS INTEGER) AS x";
  const asked = await call('POST', lake, {
    body: { datasetId: project.id, query, outputFileName: 'x.csv' },
  });
  const states = new Map([
    [`/v1/ingestions/${ingestion.body.id}`, 'succeeded'],
    [`${lake}/${asked.body.queryId}`, 'failed'],
  ]);
  for (const [path, state] of states)
    await until(async () => (await call('GET', path)).body.state === state, `${path} ${state}`);
  const waiting = { kind: 'of-another-version', state: 'queued', ended_at: null } as const;
  await until(async () => {
    const ended = await app.core.records.transact((tx) =>
      tx.updateTable('jobs').set(waiting).where('kind', '=', 'lake.run').where('ended_at', '>', 0).execute(),
    );
    return ended.some(({ numUpdatedRows }) => numUpdatedRows > 0n);
  }, 'the job of the statement has ended');
}
