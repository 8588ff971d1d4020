/** Each alert of deploy/monitoring fires when its condition holds, and only then: Prometheus' own program evaluates the rules. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { alertRules, promtool, promtoolSkip } from './tools.ts';

/**
 * Series of a service, a value a minute (of backups each 4 minutes), and times at which the alert fires or is silent. `1+2x3` is 1, 3, 5, 7; `_x3`: no
 * sample three times, as while the service restarts; `stale`: the target has gone.
 */
interface Case {
  about: string;
  series: Record<string, string>;
  fires?: string[];
  silent?: string[];
}

const up = 'up{job="ploidy",instance="a"}';
const requests = (status: number): string =>
  `ploidy_http_request_duration_seconds_count{instance="a",method="GET",route="/v1/user",status="${status}"}`;
const failures = 'ploidy_job_failures_total{instance="a",kind="lake.run",code="WORKER_LOST"}';
const refusals = 'ploidy_job_duration_seconds_count{instance="a",kind="sign-in-failure",outcome="succeeded"}';
const age = 'ploidy_job_queue_age_seconds{instance="a",kind="lake.run"}';
const lag = 'nodejs_eventloop_lag_p99_seconds{instance="a"}';
const backup = 'ploidy_last_backup_timestamp_seconds{instance="a"}';
const disk = (part: string): string => `ploidy_disk_bytes{instance="a",part="${part}"}`;
const day = 86_400;

const cases: Record<string, Case[]> = {
  PloidyDown: [
    { about: 'a service that answers', series: { [up]: '1x20' }, silent: ['20m'] },
    { about: 'a restart of a minute', series: { [up]: '1x5 0 1x20' }, silent: ['6m', '10m'] },
    { about: 'no answer', series: { [up]: '1x5 0x20' }, silent: ['6m'], fires: ['10m'] },
    { about: 'no target at all', series: {}, silent: ['1m'], fires: ['5m'] },
    { about: 'a target that has gone', series: { [up]: '1x5 stale' }, fires: ['20m'] },
  ],
  PloidyErrors: [
    { about: 'no request', series: { [up]: '1x30' }, silent: ['30m'] },
    {
      about: 'few errors',
      series: { [requests(200)]: '0+100x30', [requests(503)]: '0+4x30' },
      silent: ['30m'],
    },
    {
      about: 'errors, also from one restart to the next',
      series: { [requests(200)]: '0+100x15 0+100x15', [requests(500)]: '0+10x15 0+10x15' },
      silent: ['9m'],
      fires: ['15m', '20m', '30m'],
    },
    { about: 'nothing but errors', series: { [requests(503)]: '1+1x30' }, fires: ['20m'] },
  ],
  PloidyJobsWait: [
    { about: 'no job', series: { [up]: '1x30' }, silent: ['30m'] },
    { about: 'a wait', series: { [age]: '0+60x60' }, silent: ['30m'], fires: ['50m'] },
    { about: 'records that are away', series: { [age]: '0+60x60 stale' }, silent: ['70m'] },
  ],
  PloidyJobsFail: [
    {
      about: 'a failure a quarter of an hour',
      series: { [failures]: '0 0x14 1x15 2x15 3x15 4x15' },
      silent: ['60m'],
    },
    { about: 'failures before the first scrape', series: { [failures]: '_x5 9x20' }, fires: ['6m', '20m'] },
    {
      about: 'failures of the first hour, later past',
      series: { [failures]: '_x5 9x200' },
      fires: ['6m', '60m'],
      silent: ['4m', '80m'],
    },
    {
      about: 'a restart that begins anew with few',
      series: { [failures]: '50x120 _x2 2x60' },
      silent: ['119m', '125m', '180m'],
    },
    { about: 'failures after a restart', series: { [failures]: '50x120 _x2 8x60' }, fires: ['125m'] },
    {
      about: 'mistakes of users',
      series: { 'ploidy_job_failures_total{kind="ingestions.run",code="INPUT"}': '0+9x60' },
      silent: ['60m'],
    },
  ],
  PloidyDiskFull: [
    { about: 'space', series: { [disk('free')]: '50x20', [disk('all')]: '100x20' }, silent: ['20m'] },
    {
      about: 'none',
      series: { [disk('free')]: '5x20', [disk('all')]: '100x20' },
      silent: ['5m'],
      fires: ['15m'],
    },
  ],
  PloidySignInsFail: [
    { about: 'few', series: { [refusals]: '0+9x60' }, silent: ['5m', '60m'] },
    { about: 'many', series: { [refusals]: '0+20x30' }, fires: ['15m'] },
    {
      about: 'many before the first scrape',
      series: { [refusals]: '_x9 150x60' },
      fires: ['10m'],
      silent: ['25m'],
    },
    { about: 'a restart', series: { [refusals]: '500x30 _x2 3x30' }, silent: ['35m', '60m'] },
  ],
  PloidyBusy: [
    { about: 'a moment', series: { [lag]: '0x5 4x3 0x20' }, silent: ['8m', '20m'] },
    { about: 'long delays', series: { [lag]: '4x20' }, fires: ['15m'] },
  ],
  PloidyBackupOld: [
    {
      about: 'a backup each day',
      series: { [backup]: `0x360 ${day}x360 ${2 * day}x360` },
      silent: ['2d', '70h'],
    },
    { about: 'a new service', series: { [backup]: '_x900 0x375' }, silent: ['62h', '80h'] },
    { about: 'none in two days', series: { [backup]: '0x1000' }, silent: ['47h'], fires: ['50h'] },
    {
      about: 'none in two days, with restarts',
      series: { [backup]: '0x250 _x5 0x475 _x5 0x250' },
      fires: ['52h'],
    },
    { about: 'an old one', series: { [backup]: '1000x1000' }, silent: ['48h'], fires: ['50h'] },
    { about: 'a service that says nothing yet', series: { [up]: '1x1000' }, silent: ['60h'] },
    {
      about: 'processes that saw the same backup at different times',
      series: { [backup]: '1000x1000', [backup.replace('"a"', '"b"')]: `${2 * day}x1000` },
      silent: ['60h'],
    },
  ],
};

const { groups } = parse(readFileSync(alertRules, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
const rules = new Map(groups.flatMap((group) => group.rules.map((rule) => [rule.alert, rule])));

test('each alert has cases in which it fires, and in which it is silent', () => {
  assert.deepEqual(Object.keys(cases).toSorted(), [...rules.keys()].toSorted());
  for (const [alert, some] of Object.entries(cases))
    for (const kind of ['fires', 'silent'] as const)
      assert.ok(
        some.some((one) => (one[kind] ?? []).length > 0),
        `${alert} ${kind}`,
      );
});

test('alerts fire when their condition holds, and not after a restart or before there is data', {
  skip: promtoolSkip,
}, (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-alerts-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (alert: string, some: readonly Case[]): string => {
    const interval = alert === 'PloidyBackupOld' ? '4m' : '1m';
    const tests = some.map(({ about, series, fires = [], silent = [] }) => ({
      name: about,
      interval,
      input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
      promql_expr_test: [...fires.map((at) => [at, 1] as const), ...silent.map((at) => [at, 0] as const)].map(
        ([eval_time, value]) => ({
          expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0 or vector(0)`,
          eval_time,
          exp_samples: [{ labels: '{}', value }],
        }),
      ),
    }));
    const written = (name: string, content: object): string => {
      writeFileSync(join(folder, name), JSON.stringify(content));
      return join(folder, name);
    };
    const alone = { groups: [{ name: 'alone', rules: [rules.get(alert)] }] };
    const rule_files = [written(`${alert}.rules.json`, alone)];
    return written(`${alert}.json`, { rule_files, evaluation_interval: interval, tests });
  };
  const files = Object.entries(cases).map(([alert, some]) => file(alert, some));
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', ...files], { encoding: 'utf8' });
  assert.equal(status, 0, stdout + stderr);
});
