import assert from 'node:assert/strict';
import type { CallOptions, Reply, TestApp } from '../../../../../test/support/app.ts';
import { type FhirServerOptions, TestFhirServer } from '../../../../../test/support/fhir/server.ts';
import { until, workLooksMs } from '../../../../../test/support/until.ts';
import type { SyncView } from './sync/sync.ts';

/** Settings of a service that may reach the local host and retries soon. */
export const ehrSettings = { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true', PLOIDY_RETRY_WAIT: '1ms' };

const open = new Set(['queued', 'running', 'ingesting']);

/** FHIR server, its configuration, and a project to fill. */
export class EhrProject {
  readonly server: TestFhirServer;
  readonly id: string;
  readonly project: string;
  readonly #call: TestApp['call'];

  private constructor(call: TestApp['call'], server: TestFhirServer, id: string, project: string) {
    this.#call = call;
    this.server = server;
    this.id = id;
    this.project = project;
  }

  static async make(
    call: TestApp['call'],
    name: string,
    options: FhirServerOptions,
    settings: object = {},
  ): Promise<EhrProject> {
    const server = await TestFhirServer.start(options);
    const project = await call('POST', '/v1/projects', { body: { name } });
    const body = { name, apiBaseUrl: server.url, ...settings };
    const ehr = await call('POST', '/v1/ehrs', { body });
    assert.equal(ehr.status, 201, ehr.text);
    return new EhrProject(call, server, ehr.body.id, project.body.id);
  }

  ask(method: string, path: string, options?: CallOptions): Promise<Reply> {
    return this.#call(method, `/v1/ehrs/${this.id}${path}`, options);
  }

  async begin(body: object = {}): Promise<string> {
    const reply = await this.ask('POST', '/sync', { body: { datasetId: this.project, ...body } });
    assert.equal(reply.status, 202, reply.text);
    return reply.body.id;
  }

  async sync(id: string): Promise<SyncView> {
    const reply = await this.ask('GET', `/syncs/${id}`);
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  }

  async end(id: string): Promise<SyncView> {
    await until(async () => !open.has((await this.sync(id)).state), 'the sync ended', workLooksMs);
    return this.sync(id);
  }

  /** Runs a sync that must succeed. */
  async pull(body: object = {}): Promise<SyncView> {
    const sync = await this.end(await this.begin(body));
    assert.equal(sync.state, 'succeeded', JSON.stringify(sync));
    return sync;
  }

  /** Returns rows of the project as CSV without a header. */
  async rows(sql: string): Promise<string[]> {
    const body = { query: sql, datasetId: this.project, outputFileName: 'rows.csv' };
    const begun = await this.#call('POST', '/v1/analytics/data-lake/query', { body });
    assert.equal(begun.status, 200, begun.text);
    const path = `/v1/analytics/data-lake/query/${begun.body.queryId}`;
    const hasEnded = async () => (await this.#call('GET', path)).body.state !== 'running';
    await until(hasEnded, 'the query ended', workLooksMs);
    return (await this.#call('GET', `/v1/files/${begun.body.queryId}`)).text.trimEnd().split('\n').slice(1);
  }
}
