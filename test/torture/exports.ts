import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { fhirText } from '../inputs/texts.ts';
import type { Reply } from '../support/app.ts';
import { type Area, againMs, type Client } from './client.ts';

const patients = 300;
const pageSize = 37;
/** Reasons of a failed export that faults explain. */
const explained = /: The storage is full|interrupted/;
const statement = 'SELECT count(*) AS patients FROM patient';

/** A project of known patients, which is exported, read page by page, and counted by a schedule. */
export class Exports implements Area {
  readonly acts = {
    'export a project': () => this.#export(),
    'read all pages': () => this.#readPages(),
    'schedule a query': () => this.#schedule(),
  };
  readonly #client: Client;
  readonly #ids: string[];
  readonly #tag: string;
  #project: string | undefined;
  #saved: string | undefined;

  constructor(client: Client) {
    this.#client = client;
    this.#tag = client.newName('x');
    this.#ids = Array.from({ length: patients }, (_, number) => `${this.#tag}-${number}`).sort();
  }

  /** Each minute has one run at most, and each run that succeeded has the whole answer. */
  async verify(): Promise<void> {
    const client = this.#client;
    if (this.#saved === undefined) return;
    const path = `/v1/analytics/data-lake/query?datasetId=${this.#project}&pageSize=1000`;
    const { items } = (await client.askUntil('GET', path, [200])).body;
    const runs = items.filter((one: Run) => one.outputFileName?.startsWith(`scheduled/${this.#saved}/`));
    const names = runs.map(({ outputFileName }: Run) => outputFileName);
    assert.deepEqual([...new Set(names)], names, `${client.name}: each run is begun once`);
    for (const { id, state, error } of runs as Run[]) {
      client.journal.count(`scheduled query ${state}`);
      if (state === 'failed') client.assertExplained(error);
      else {
        const { text } = await client.askUntil('GET', `/v1/files/${id}`, [200]);
        assert.equal(text, `patients\n${patients}\n`, `${client.name}: the answer of a schedule`);
      }
    }
  }

  /** Makes the project once, and waits for its patients. */
  async #made(): Promise<string | undefined> {
    const client = this.#client;
    if (this.#project !== undefined) return this.#project;
    const name = client.newName('exported ');
    const made = await client.change('projects.create', 'POST', '/v1/projects', [200], { body: { name } });
    if (!made) return undefined;
    const datasetId = made.body.id;
    const upload = { name: 'patients.ndjson', datasetId, overwrite: true };
    const begun = await client.askUntil('POST', '/v1/files', [200], { body: upload });
    await client.putUntil(begun.body.uploadUrl, Buffer.from(fhirText(this.#tag, patients)));
    const body = { datasetId, fileId: begun.body.id };
    const run = await client.change('ingestions.create', 'POST', '/v1/ingestions', [202], { body });
    if (!run || !(await client.hasSucceeded(`/v1/ingestions/${run.body.id}`))) return undefined;
    this.#project = datasetId;
    return datasetId;
  }

  async #export(): Promise<void> {
    const client = this.#client;
    const project = await this.#made();
    if (!project) return;
    const start = `/v1/projects/${project}/fhir/$export`;
    // The patients are one statement.
    const begun = await client.change(['exports.create', 'lake.query'], 'GET', start, [202], {
      headers: { prefer: 'respond-async' },
    });
    if (!begun) return;
    const place = pathOf(begun.headers.get('content-location') ?? '');
    const state = await this.#endOf(place);
    if (state.status === 422) {
      client.journal.count('export failed');
      return assert.match(state.body.error, explained, client.name);
    }
    const ids: string[] = [];
    for (const at of state.body.output.keys()) {
      let file: Reply | undefined;
      // Each time with a new address: that of a process with a wrong clock is refused by the bucket.
      while (file === undefined) file = await client.get((await this.#endOf(place)).body.output[at].url);
      ids.push(
        ...file.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).id),
      );
    }
    assert.deepEqual(ids.sort(), this.#ids, `${client.name}: patients of an export`);
  }

  async #endOf(path: string): Promise<Reply> {
    for (;;) {
      const state = await this.#client.askUntil('GET', path, [200, 202, 422]);
      if (state.status !== 202) return state;
      await delay(againMs);
    }
  }

  async #readPages(): Promise<void> {
    const client = this.#client;
    const project = await this.#made();
    if (!project) return;
    const ids: string[] = [];
    let next: string | undefined = `/${client.person.account}/v1/fhir/${project}/Patient?_count=${pageSize}`;
    while (next !== undefined) {
      const { text } = await client.askUntil('GET', next, [200]);
      const bundle: Bundle = JSON.parse(text);
      ids.push(...(bundle.entry ?? []).map(({ resource }) => resource.id));
      const link = bundle.link.find(({ relation }) => relation === 'next');
      next = link && pathOf(link.url);
    }
    assert.deepEqual(ids.sort(), this.#ids, `${client.name}: patients of all pages`);
  }

  async #schedule(): Promise<void> {
    const client = this.#client;
    const project = await this.#made();
    if (!project || this.#saved !== undefined) return;
    const path = `/v1/projects/${project}/saved-queries`;
    const body = { name: 'Patients', statement, shared: false };
    const saved = await client.change('savedQueries.create', 'POST', path, [200], { body });
    if (!saved) return;
    const plan = { body: { cron: '* * * * *' } };
    await client.askUntil('PUT', `${path}/${saved.body.id}/schedule`, [200], plan);
    this.#saved = saved.body.id;
  }
}

interface Run {
  id: string;
  state: string;
  outputFileName?: string;
  error?: { code: string };
}

interface Bundle {
  entry?: { resource: { id: string } }[];
  link: { relation: string; url: string }[];
}

/** Path and query of an address: requests go through the proxy. */
function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}
