/** dbt as it is published, over the Trino protocol: it tests and reads the lake; what it would write is refused. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { TestProject } from '../inputs/project.ts';
import { fhirText } from '../inputs/texts.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { missing } from './missing.ts';
import { openTlsProxy, type TlsProxy } from './tls-proxy.ts';

const run = promisify(execFile);
const packages = ['dbt-core==1.10.15', 'dbt-trino==1.10.1'];

describe('dbt', { skip: await missing('python3', 'git') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'ploidy-dbt-'));
  let app: TestApp;
  let proxy: TlsProxy;

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    const project = await TestProject.make(app.call, 'Clients');
    await project.take('p.ndjson', fhirText('p', 5, 1));
    proxy = await openTlsProxy(app.address, folder);
    await run('python3', ['-m', 'venv', join(folder, 'python')]);
    await run(join(folder, 'python/bin/pip'), ['install', '--quiet', '--no-compile', ...packages]);
    writeProject();
  });
  after(async () => {
    await proxy?.stop();
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Writes a project with a source, two tests of it and a view. dbt reads JSON as YAML. */
  function writeProject(): void {
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const { hostname, port } = new URL(proxy.address);
    const place = { host: hostname, port: Number(port), database: 'ploidy', schema: 'clients' };
    const sign = { method: 'jwt', jwt_token: app.key, user: 'dbt', cert: proxy.certificate };
    const lake = { target: 'it', outputs: { it: { type: 'trino', threads: 1, ...place, ...sign } } };
    write('profiles.yml', JSON.stringify({ lake }));
    const flags = { send_anonymous_usage_stats: false };
    write('dbt_project.yml', JSON.stringify({ name: 'lake', profile: 'lake', flags }));
    const columns = [{ name: 'patient_id', data_tests: ['not_null', 'unique'] }];
    const sources = [{ name: 'lake', schema: 'clients', tables: [{ name: 'patient', columns }] }];
    write('models/sources.yml', JSON.stringify({ sources }));
    const view = "{{ config(materialized='view') }} SELECT patient_id FROM {{ source('lake', 'patient') }}";
    write('models/people.sql', view);
  }

  /** Runs a command of dbt; returns its exit code and what it prints. */
  async function dbt(...words: string[]): Promise<{ code: number; printed: string }> {
    // The variable wins over the certificate of the profile.
    const env = { ...process.env, DBT_PROFILES_DIR: folder, REQUESTS_CA_BUNDLE: proxy.certificate };
    const program = join(folder, 'python/bin/dbt');
    return run(program, [...words, '--no-use-colors'], { cwd: folder, env }).then(
      ({ stdout }) => ({ code: 0, printed: stdout }),
      ({ code, stdout }) => ({ code, printed: stdout }),
    );
  }

  test('debug, test and show read the lake', async () => {
    const debug = await dbt('debug');
    assert.match(debug.printed, /All checks passed!/);
    const tested = await dbt('test');
    assert.match(tested.printed, /PASS=2 WARN=0 ERROR=0/, tested.printed);
    const shown = await dbt('show', '--inline', "SELECT count(*) AS n FROM {{ source('lake', 'patient') }}");
    assert.match(shown.printed, /\|\s*5\s*\|/, shown.printed);
  });

  test('run is refused: the lake is only read', async () => {
    const { code, printed } = await dbt('run');
    assert.equal(code, 1);
    assert.match(printed, /This statement is not supported: CREATE\. The lake is only read\./, printed);
  });
});
