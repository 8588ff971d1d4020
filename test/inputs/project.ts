import assert from 'node:assert/strict';
import type { CallOptions, Reply } from '../support/app.ts';
import { until, workLooksMs } from '../support/until.ts';

/** Calls a service, whichever way it runs. */
export type Call = (method: string, path: string, options?: CallOptions) => Promise<Reply>;

/** Fields of an ingestion or query that tests read. */
export interface Work {
  id: string;
  state: string;
  outputFileName?: string;
  resultFileId?: string;
  rowCount?: number;
  progress: { bytes: number; rows: number };
  warningCount: number;
  warnings: { line?: number; message: string }[];
  error?: { code: string; message: string; line?: number; column?: number };
}

const ended = new Set(['succeeded', 'failed', 'cancelled']);
const queries = '/v1/analytics/data-lake/query';
async function endOf(look: () => Promise<Work>): Promise<Work> {
  let now: Work | undefined;
  const hasEnded = async (): Promise<boolean> => {
    now = await look();
    return ended.has(now.state);
  };
  await until(hasEnded, 'the work ended', workLooksMs);
  assert.ok(now);
  return now;
}

/** A project as its users work with it: upload, ingest, ask. */
export class TestProject {
  readonly id: string;
  readonly call: Call;

  private constructor(call: Call, id: string) {
    this.call = call;
    this.id = id;
  }

  static async make(call: Call, name: string): Promise<TestProject> {
    const made = await call('POST', '/v1/projects', { body: { name } });
    assert.equal(made.status, 200, made.text);
    return new TestProject(call, made.body.id);
  }

  /** Returns a project that is there. */
  static at(call: Call, id: string): TestProject {
    return new TestProject(call, id);
  }

  /** Views this project as another caller. */
  as(call: Call): TestProject {
    return new TestProject(call, this.id);
  }

  /** Uploads a file, replacing one of the same name; answers its id. */
  async upload(name: string, bytes: string | Uint8Array): Promise<string> {
    const body = { name, datasetId: this.id, overwrite: true };
    const made = await this.call('POST', '/v1/files', { body });
    assert.equal(made.status, 200, made.text);
    const sent = await fetch(made.body.uploadUrl, { method: 'PUT', body: bytes as never });
    assert.equal(sent.status, 200, await sent.text());
    return made.body.id;
  }

  /** Starts an ingestion; answers its id. */
  async startIngestion(fileId: string, options: object = {}): Promise<string> {
    const made = await this.call('POST', '/v1/ingestions', {
      body: { datasetId: this.id, fileId, ...options },
    });
    assert.equal(made.status, 202, made.text);
    return made.body.id;
  }

  async ingestion(id: string): Promise<Work> {
    const read = await this.call('GET', `/v1/ingestions/${id}`);
    assert.equal(read.status, 200, read.text);
    return read.body;
  }

  endOfIngestion(id: string): Promise<Work> {
    return endOf(() => this.ingestion(id));
  }

  async ingest(fileId: string, options: object = {}): Promise<Work> {
    return this.endOfIngestion(await this.startIngestion(fileId, options));
  }

  /** Uploads and ingests a file that is good. */
  async take(name: string, bytes: string | Uint8Array, options: object = {}): Promise<string> {
    const fileId = await this.upload(name, bytes);
    const end = await this.ingest(fileId, options);
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    return fileId;
  }

  /** Tries a query out. */
  async dryRun(query: string): Promise<Reply> {
    const body = { query, datasetId: this.id, outputFileName: 'answer.csv' };
    return await this.call('POST', `${queries}?dryRun=true`, { body });
  }

  /** Starts a query; answers its id. */
  async startQuery(query: string, outputFileName = 'answer.csv'): Promise<string> {
    const body = { query, datasetId: this.id, outputFileName };
    const made = await this.call('POST', queries, { body });
    assert.equal(made.status, 200, made.text);
    return made.body.queryId;
  }

  async query(id: string): Promise<Work> {
    const read = await this.call('GET', `${queries}/${id}`);
    assert.equal(read.status, 200, read.text);
    return read.body;
  }

  endOfQuery(id: string): Promise<Work> {
    return endOf(() => this.query(id));
  }

  cancelQuery(id: string): Promise<Reply> {
    return this.call('DELETE', `${queries}/${id}`);
  }

  /** Returns the CSV of a query, without its header, as lines. */
  async ask(sql: string): Promise<string[]> {
    const end = await this.endOfQuery(await this.startQuery(sql));
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    return (await this.read(String(end.resultFileId))).trimEnd().split('\n').slice(1);
  }

  /** Returns the text of a file. */
  async read(fileId: string): Promise<string> {
    const read = await this.call('GET', `/v1/files/${fileId}`);
    assert.equal(read.status, 200, read.text);
    return read.text;
  }

  /** Rows of a table; a table that does not exist has none. */
  async count(table: string): Promise<number> {
    const [rows = 0] = await this.counts(table);
    return rows;
  }

  /** Rows of tables, in one query. */
  async counts(...tables: string[]): Promise<number[]> {
    const read = await this.call('GET', `/v1/analytics/data-lake/schema?datasetId=${this.id}`);
    assert.equal(read.status, 200, read.text);
    const there = new Set(read.body.schemas.map(({ table }: { table: string }) => table));
    const found = tables.filter((table) => there.has(table));
    if (found.length === 0) return tables.map(() => 0);
    const [line = ''] = await this.ask(
      `select ${found.map((table) => `(select count(*) from ${table})`).join(', ')}`,
    );
    const rows = line.split(',').map(Number);
    return tables.map((table) => rows[found.indexOf(table)] ?? 0);
  }

  /** Names of the files that begin with `prefix`. */
  async fileNames(prefix: string): Promise<string[]> {
    const path = `/v1/files?datasetId=${this.id}&pageSize=1000&name=${encodeURIComponent(prefix)}`;
    const read = await this.call('GET', path);
    assert.equal(read.status, 200, read.text);
    return read.body.items.map((item: { name: string }) => item.name);
  }
}
