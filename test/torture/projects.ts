import assert from 'node:assert/strict';
import { fhirText } from '../inputs/texts.ts';
import type { Area, Client } from './client.ts';

const keptMax = 6;

interface Project {
  id: string;
  name: string;
  /** True while the project awaits removal after the grace period. */
  pending: boolean;
}

/** Projects that are made, filled, deleted at once or marked for it and restored. */
export class Projects implements Area {
  readonly acts = {
    'make a project': () => this.#make(),
    'delete a project': () => this.#delete(),
    'mark a project': () => this.#mark(),
  };
  readonly #client: Client;
  readonly #prefix: string;
  readonly #kept: Project[] = [];
  readonly gone: string[] = [];

  constructor(client: Client) {
    this.#client = client;
    this.#prefix = `p-${client.name}-`;
  }

  async verify(): Promise<void> {
    const listed = await this.#list(this.#prefix);
    const seen = listed.map(({ id, deletionDate }) => ({ id, pending: deletionDate !== undefined }));
    const expected = this.#kept.map(({ id, pending }) => ({ id, pending }));
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
    assert.deepEqual(seen.sort(byId), expected.sort(byId), `${this.#client.name}: projects`);
    for (const id of this.gone) await this.#client.askUntil('GET', `/v1/projects/${id}`, [404]);
  }

  async #make(): Promise<void> {
    const client = this.#client;
    if (this.#kept.length >= keptMax) return;
    const name = client.newName(this.#prefix);
    const reply = await client.change('projects.create', 'POST', '/v1/projects', [200], { body: { name } });
    const made = reply?.body ?? (await this.#list(name)).find((one) => one.name === name);
    if (!made) return;
    this.#kept.push({ id: made.id, name, pending: false });
    const body = { name: 'patients.ndjson', datasetId: made.id };
    const begun = await client.ask('POST', '/v1/files', [200], { body });
    if (!begun) return;
    await client.putUntil(begun.body.uploadUrl, Buffer.from(fhirText(client.newName('p'), 20, 1)));
    const ingestion = { datasetId: made.id, fileId: begun.body.id };
    await client.change('ingestions.create', 'POST', '/v1/ingestions', [202], { body: ingestion });
  }

  async #delete(): Promise<void> {
    const [project] = this.#kept.splice(this.#client.random.below(keptMax), 1);
    if (!project) return;
    const path = `/v1/projects/${project.id}`;
    const reply = await this.#client.change('projects.delete', 'DELETE', `${path}?force=true`, [204]);
    const look = reply ?? (await this.#client.askUntil('GET', path, [200, 404]));
    if (look.status === 200) this.#kept.push(project);
    else this.gone.push(project.id);
  }

  async #mark(): Promise<void> {
    const client = this.#client;
    const project = this.#kept[client.random.below(keptMax)];
    if (!project) return;
    const path = `/v1/projects/${project.id}`;
    const reply = project.pending
      ? await client.change('projects.update', 'PATCH', path, [200], { body: { deletionDate: '' } })
      : await client.change('projects.delete', 'DELETE', path, [204]);
    if (reply) project.pending = !project.pending;
    else project.pending = (await client.askUntil('GET', path, [200])).body.deletionDate !== undefined;
  }

  async #list(name: string): Promise<{ id: string; name: string; deletionDate?: string }[]> {
    const path = `/v1/projects?pageSize=1000&name=${name}`;
    return (await this.#client.askUntil('GET', path, [200])).body.items;
  }
}
