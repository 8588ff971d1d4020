import assert from 'node:assert/strict';
import { fhirText } from '../inputs/texts.ts';
import type { Person } from '../support/people.ts';
import type { Area, Client } from './client.ts';

const patients = 5;
const rowsPath = '/v1/analytics/data-lake/rows';
const extents = ['all', 'one', 'masked', 'none'] as const;
type Extent = (typeof extents)[number];

/** A reader whose right to rows is widened, narrowed, masked and taken. */
export class Limits implements Area {
  readonly acts = {
    'set limits of a reader': () => this.#change(),
    'read within limits': () => this.#read(),
  };
  readonly #client: Client;
  readonly #reader: Person;
  readonly #tag: string;
  #project = '';
  #policy = '';
  #extent: Extent = 'none';

  /** `reader` has no rights besides those given here. */
  constructor(client: Client, reader: Person) {
    this.#client = client;
    this.#reader = reader;
    this.#tag = client.newName('l');
  }

  async verify(): Promise<void> {
    await this.#read();
  }

  /** Requires the rows and masks of the present right. */
  async #read(): Promise<void> {
    if (this.#policy === '') return;
    const extent = this.#extent;
    const query = 'SELECT patient_id, dob FROM patient ORDER BY patient_id';
    const body = { datasetId: this.#project, query };
    const expected = extent === 'none' ? [403, 404] : [200];
    const options = { body, key: this.#reader.key };
    const reply = await this.#client.askUntil('POST', rowsPath, expected, options);
    if (extent === 'none') return;
    const rows: [string, string][] = reply.body.rows;
    const all = Array.from({ length: patients }, (_, number) => `${this.#tag}-${number}`);
    const expectedIds = { all, one: all.slice(0, 1), masked: [] }[extent];
    const message = `${this.#client.name}: rows that a reader of ${extent} sees`;
    // Masked readers see other ids.
    assert.deepEqual(
      rows.map(([id]) => id).filter((id) => all.includes(id)),
      expectedIds,
      message,
    );
    assert.equal(rows.length, extent === 'one' ? 1 : patients, message);
    const days = new Set(rows.map(([, dob]) => dob === '1970-05-17'));
    assert.deepEqual(
      [...days],
      [extent !== 'masked'],
      `${this.#client.name}: days of birth, read as ${extent}`,
    );
  }

  async #change(): Promise<void> {
    const client = this.#client;
    if (this.#policy === '') await this.#prepare();
    if (this.#policy === '') return;
    const extent = client.random.pick<Extent>([...extents]);
    const path = `/v1/policies/${this.#policy}`;
    const body = { policy: this.#policyOf(extent) };
    const reply = await client.change('policies.update', 'PUT', path, [200], { body });
    if (reply) this.#extent = extent;
    else {
      const { body: now } = await client.askUntil('GET', path, [200]);
      this.#extent =
        JSON.stringify(now.policy.rules) === JSON.stringify(body.policy.rules) ? extent : this.#extent;
    }
    await this.#read();
  }

  /** Makes a project with patients, and a policy. */
  async #prepare(): Promise<void> {
    const client = this.#client;
    const name = client.newName('limits ');
    const made = await client.change('projects.create', 'POST', '/v1/projects', [200], { body: { name } });
    if (!made) return;
    this.#project = made.body.id;
    const upload = { name: `${this.#tag}.ndjson`, datasetId: this.#project, overwrite: true };
    const begun = await client.askUntil('POST', '/v1/files', [200], { body: upload });
    await client.putUntil(begun.body.uploadUrl, Buffer.from(fhirText(this.#tag, patients)));
    const ingestion = { datasetId: this.#project, fileId: begun.body.id };
    const started = await client.change('ingestions.create', 'POST', '/v1/ingestions', [202], {
      body: ingestion,
    });
    if (!started || !(await client.hasSucceeded(`/v1/ingestions/${started.body.id}`))) return;
    const policy = { name: client.newName('limits of '), policy: this.#policyOf('none') };
    const reply = await client.change('policies.create', 'POST', '/v1/policies', [200], { body: policy });
    this.#policy = reply?.body.id ?? '';
  }

  #policyOf(extent: Extent): { rules: object } {
    const user = { 'user.id': { comparison: 'equals', value: this.#reader.userId } };
    const here = { ...user, 'resource.dataset': { comparison: 'equals', value: this.#project } };
    const one = { ...here, 'resource.subject': { comparison: 'equals', value: `${this.#tag}-0` } };
    if (extent === 'all') return { rules: { readData: [here] } };
    if (extent === 'one') return { rules: { readData: [one] } };
    return { rules: { [extent === 'masked' ? 'readMaskedData' : 'readNothing']: [here] } };
  }
}
