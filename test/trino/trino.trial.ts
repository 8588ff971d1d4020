import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { demoSql } from '../../samples/expected.ts';
import { type Call, TestProject, type Work } from '../inputs/project.ts';
import { freePort } from '../support/free-port.ts';
import { TrinoClient } from '../support/trino.ts';
import { until } from '../support/until.ts';
import { type Cluster, engineCatalog, startCluster, trinoSkip } from './cluster.ts';
import { type Deployment, type Form, forms } from './deployment.ts';
import { type Gate, openGate } from './gate.ts';
import { localStatements, sharedStatements } from './statements.ts';

const samples = join(import.meta.dirname, '../../samples/data');

for (const [name, form] of Object.entries(forms))
  describe(`the distributed engine, ${name}`, { skip: trinoSkip || form.skip }, () => trials(form));

function trials(form: Form): void {
  let app: Deployment;
  let cluster: Cluster;
  let gate: Gate;
  let port: number;
  let project: TestProject;
  const callers = new Map<string, TestProject>();

  before(async () => {
    port = await freePort();
    gate = await openGate(port);
    gate.isOpen = false;
    app = await form.open({
      PLOIDY_ENGINE_URL: `trino://ploidy@127.0.0.1:${gate.port}/ploidy`,
      PLOIDY_ENGINE_FROM: '0',
    });
    await Promise.all([startTrino(), prepare()]);
  });

  async function startTrino(): Promise<void> {
    const { address: service, fileSystem } = app;
    cluster = await startCluster({ port, nodes: form.nodes, catalog: engineCatalog(service, fileSystem) });
  }

  after(async () => {
    await app?.stop();
    await cluster?.stop();
    await gate?.close();
  });

  async function prepare(): Promise<void> {
    project = await TestProject.make(app.call, 'Sample');
    await takeSamples(project);
    await openCallers();
  }

  async function takeSamples(into: TestProject): Promise<void> {
    const { files } = JSON.parse(readFileSync(join(samples, 'manifest.json'), 'utf8'));
    for (const { path } of files as { path: string }[])
      await into.take(basename(path), readFileSync(join(samples, path)));
    // Other versions of known resources.
    const patients = readFileSync(join(samples, 'fhir/Patient.ndjson'));
    await into.take('again.ndjson', patients);
  }

  /** Callers of all rows, of masked rows, of some patients, and of both. */
  async function openCallers(): Promise<void> {
    const patients = await project.ask('SELECT patient_id FROM patient ORDER BY 1 LIMIT 7');
    const some = { 'resource.subject': { comparison: 'in', value: patients } };
    const as = (key: string): TestProject => {
      const call: Call = (method, path, options) => app.call(method, path, { key, ...options });
      return project.as(call);
    };
    const write = ['createFiles', 'readFiles'] as const;
    const masked = await app.people.member(app.account, ['readMaskedData', ...write] as never);
    const few = await app.people.member(app.account, ['readData'], some);
    callers.set('all rows', project);
    callers.set('masked rows', as(masked.key));
    callers.set('some patients', as(few.key));
  }

  /** Returns the result of a statement, and how many statements reached the cluster. */
  async function resultOf(
    caller: TestProject,
    sql: string,
    isOpen: boolean,
  ): Promise<{ text: string; passed: number }> {
    gate.isOpen = isOpen;
    const before = gate.statements.length;
    const end = await endOf(caller, await caller.startQuery(sql, 'result.csv'));
    const text =
      end.state === 'succeeded' ? await project.read(String(end.resultFileId)) : JSON.stringify(end.error);
    return { text, passed: gate.statements.length - before };
  }

  for (const kind of ['all rows', 'masked rows'])
    test(`a caller of ${kind} gets the bytes of the local engine`, async () => {
      const caller = callers.get(kind);
      assert.ok(caller);
      const remote: string[] = [];
      for (const [name, sql] of Object.entries({ ...sharedStatements, sample: demoSql })) {
        const local = await resultOf(caller, sql, false);
        const { text, passed } = await resultOf(caller, sql, true);
        assert.equal(text, local.text, `${kind}, ${name}`);
        if (passed > 0) remote.push(name);
      }
      assert.ok(remote.length >= 8, `${kind}: ${remote.join(' ')}`);
    });

  test('statements of the Trino protocol run there too, with equal rows', async () => {
    const client = new TrinoClient(app.address, app.key, {
      'x-trino-catalog': 'ploidy',
      'x-trino-schema': 'sample',
    });
    const remote: string[] = [];
    for (const [name, sql] of Object.entries(sharedStatements)) {
      const rowsOf = async (isOpen: boolean) => {
        gate.isOpen = isOpen;
        const before = gate.statements.length;
        const { rows, columns, error } = await client.run(sql);
        return { answer: { rows, columns, error }, passed: gate.statements.length - before };
      };
      const local = await rowsOf(false);
      const { answer, passed } = await rowsOf(true);
      assert.equal(answer.error, undefined, name);
      assert.deepEqual(answer, local.answer, name);
      if (passed > 0) remote.push(name);
    }
    assert.ok(remote.length >= 8, remote.join(' '));
  });

  test('a statement without an equal stays on the local engine', async () => {
    for (const [reason, sql] of Object.entries(localStatements)) {
      const { text, passed } = await resultOf(project, sql, true);
      assert.equal(passed, 0, reason);
      assert.doesNotMatch(text, /"code"/, reason);
    }
  });

  test('statements of a caller of some patients stay, and hidden rows look like absent ones', async () => {
    const caller = callers.get('some patients');
    assert.ok(caller);
    const [hidden = ''] = await project.ask('SELECT patient_id FROM patient ORDER BY 1 DESC LIMIT 1');
    for (const value of [hidden, 'absent']) {
      const condition = `CASE WHEN patient_id = '${value}' THEN 1 / (length(gender) - length(gender)) ELSE 1 END > 0`;
      for (const sql of [
        `SELECT count(*) FROM demographic WHERE ${condition}`,
        `SELECT count(*) FROM demographic p JOIN condition c ON p.patient_id = c.patient_id WHERE CASE WHEN p.patient_id = '${value}' THEN 1 / (length(gender) - length(gender)) ELSE 1 END > 0`,
        `SELECT gender, count(*) FROM demographic WHERE ${condition} GROUP BY gender ORDER BY gender`,
      ]) {
        const local = await resultOf(caller, sql, false);
        const { text, passed } = await resultOf(caller, sql, true);
        assert.equal(passed, 0, sql);
        assert.equal(text, local.text, sql);
      }
    }
  });

  test('a cancelled query ends in the cluster', async () => {
    gate.isOpen = true;
    const before = gate.statements.length;
    const id = await project.startQuery(
      'SELECT count(*) FROM variant a JOIN variant b ON a.position < b.position JOIN variant c ON b.position < c.position',
    );
    await until(() => gate.statements.length > before, 'the statement reached the cluster');
    assert.equal((await project.cancelQuery(id)).status, 200);
    assert.equal((await endOf(project, id)).state, 'cancelled');
    await until(async () => (await running(gate)) === 0, 'no statement runs in the cluster');
  });

  test('nothing can be read without the token of a running query', async () => {
    const at = (path: string) => `${app.address}/iceberg/engine/v1${path}`;
    assert.equal((await fetch(at('/config'))).status, 200);
    for (const path of ['/namespaces', '/namespaces/main', '/namespaces/main/tables/variant'])
      for (const headers of [{}, { authorization: 'Bearer none' }, { authorization: `Bearer ${app.key}` }])
        assert.equal((await fetch(at(path), { headers: headers as Record<string, string> })).status, 403);
  });

  const endless =
    'SELECT count(*) FROM variant a JOIN variant b ON a.position < b.position JOIN variant c ON b.position < c.position';
  const counted = 'SELECT gene, count(*) AS n FROM variant GROUP BY gene ORDER BY n DESC, gene';

  /** Starts a statement that works until something ends it. */
  async function startEndless(outputFileName: string): Promise<string> {
    gate.isOpen = true;
    const before = gate.statements.length;
    const id = await project.startQuery(endless, outputFileName);
    await until(() => gate.statements.length > before, 'the statement reached the cluster');
    return id;
  }

  test('a killed store fails a query with a reason and no file, and serves the next when it is back', async (t) => {
    const { store } = app;
    if (!store) return t.skip('the files are local');
    const { text: expected } = await resultOf(project, counted, true);
    await store.kill();
    const id = await project.startQuery(counted.replace('AS n', 'AS m').replace('BY n', 'BY m'), 'gone.csv');
    const end = await endOf(project, id);
    await store.start();
    assert.equal(end.state, 'failed');
    assert.match(String(end.error?.message), /again|store/i);
    assert.deepEqual(await project.fileNames('gone.csv'), []);
    const { text, passed } = await resultOf(project, counted, true);
    assert.deepEqual([text, passed], [expected, 1]);
  });

  test('a query whose process is killed leaves no statement in the cluster', async (t) => {
    if (!app.replaceQueryProcess) return t.skip('one process does everything');
    const id = await startEndless('lost-process.csv');
    await app.replaceQueryProcess();
    await project.cancelQuery(id);
    assert.notEqual((await endOf(project, id)).state, 'succeeded');
    await until(async () => (await running(gate)) === 0, 'no statement runs in the cluster');
  });

  test('a query whose cluster is killed fails in words, without a file, and runs when it is back', async () => {
    const { text: expected } = await resultOf(project, counted, true);
    const id = await startEndless('lost.csv');
    await cluster.kill();
    const end = await endOf(project, id);
    assert.equal(end.state, 'failed');
    assert.match(String(end.error?.message), /again/i);
    assert.deepEqual(await project.fileNames('lost.csv'), []);
    await cluster.stop();
    await startTrino();
    const { text, passed } = await resultOf(project, counted, true);
    assert.deepEqual([text, passed], [expected, 1]);
  });
}

/** Returns the end of a statement, which takes a minute on a busy machine with Trino on it. */
async function endOf(caller: TestProject, id: string): Promise<Work> {
  for (;;) {
    const now = await caller.query(id);
    if (now.state !== 'running') return now;
    await delay(lookMs);
  }
}

const lookMs = 100;

async function running({ port }: Gate): Promise<number> {
  const headers = { 'X-Trino-User': 'test' };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/query`, { headers });
  const queries = (await answer.json()) as { state: string }[];
  return queries.filter(({ state }) => !['FINISHED', 'FAILED'].includes(state)).length;
}
