import assert from 'node:assert/strict';
import { fhirText, omicTexts, vcfText } from '../inputs/texts.ts';
import { bamBytes } from '../support/bam.ts';
import type { Area, Client } from './client.ts';
import { askLake } from './queries.ts';

const runningMax = 3;
const ended = ['succeeded', 'failed', 'cancelled'];

/** A file that was ingested, and what it shows if that succeeded. */
interface Source {
  /** Name of the file; its samples and patients are named after it. */
  tag: string;
  kind: Kind;
  project: string;
  file: string;
  /** The ingestions of it, in order, each with what it shows: `table,tag,rows`. */
  runs: { id: string; shows: string[]; cancelled: boolean }[];
}

type Kind = 'vcf' | 'fhir' | 'omic' | 'bam';
const extensions = { vcf: 'vcf', fhir: 'ndjson', omic: 'csv', bam: 'bam' };

/** Files that are ingested, cancelled, ingested anew with other bytes, moved to another project with their rows, deleted. */
export class Ingestions implements Area {
  readonly acts = {
    'ingest a file': () => this.#ingestNew(),
    'ingest other bytes': () => this.#ingestAgain(),
    'cancel an ingestion': () => this.#cancel(),
    'move an ingested file': () => this.#move(),
    'delete an ingested file': () => this.#delete(),
  };
  readonly #client: Client;
  readonly #projects: string[];
  readonly #sources: Source[] = [];

  constructor(client: Client, projects: string[]) {
    this.#client = client;
    this.#projects = projects;
  }

  async verify(): Promise<void> {
    for (const project of this.#projects) {
      const expected: string[] = [];
      for (const source of this.#sources.filter((one) => one.project === project)) {
        expected.push(...(await this.#shownBy(source)));
      }
      const seen = [...(await this.#rows(project)), ...(await this.#reads(project))];
      assert.deepEqual(seen.sort(), expected.sort(), `${this.#client.name}: rows in the project ${project}`);
    }
  }

  /** Rows of the last successful run. */
  async #shownBy({ runs, tag }: Source): Promise<string[]> {
    let shown: string[] = [];
    for (const { id, shows, cancelled } of runs) {
      const { body } = await this.#client.askUntil('GET', `/v1/ingestions/${id}`, [200]);
      this.#client.journal.count(`ingestion ${body.state}`);
      if (cancelled) assert.equal(body.state, 'cancelled', `${tag}: the cancelling was acknowledged`);
      // An ingestion that was interrupted three times is given up with that reason.
      if (body.state === 'failed') this.#client.assertExplained(body.error);
      else if (body.state === 'succeeded') shown = shows;
      else assert.equal(body.state, 'cancelled', `${tag}: ${JSON.stringify(body)}`);
    }
    return shown;
  }

  async #rows(project: string): Promise<string[]> {
    const schema = await this.#client.askUntil(
      'GET',
      `/v1/analytics/data-lake/schema?datasetId=${project}`,
      [200],
    );
    const tables: string[] = schema.body.schemas.map(({ table }: { table: string }) => table);
    const keys = {
      variant: 'sample_id',
      observation: 'patient_id',
      patient: 'patient_id',
      copynumber: 'sample_id',
    };
    const selects = Object.entries(keys)
      .filter(([table]) => tables.includes(table))
      .map(
        ([table, key]) =>
          `select '${table}', split_part(${key}, '-', 1) as tag, count(*) from ${table} group by tag`,
      );
    return selects.length === 0 ? [] : askLake(this.#client, project, selects.join(' union all '));
  }

  async #reads(project: string): Promise<string[]> {
    const path = `/${this.#client.person.account}/v1/readgroupsets/search`;
    const body = { datasetId: project, pageSize: 1000 };
    const reply = await this.#client.askUntil('POST', path, [200], { body });
    const sets = reply.body.readGroupSets.filter(({ status }: { status: string }) => status === 'ACTIVE');
    return sets.map(
      (set: { readGroups: { name: string }[]; stats: { alignedReadCount: string } }) =>
        `reads,${set.readGroups[0]?.name},${set.stats.alignedReadCount}`,
    );
  }

  async #ingestNew(): Promise<void> {
    const client = this.#client;
    if ((await this.#running()).length >= runningMax) return;
    const kind = client.random.pick<Kind>(['vcf', 'vcf', 'fhir', 'omic', 'bam']);
    const source: Source = {
      tag: client.newName('i'),
      kind,
      project: client.random.pick(this.#projects),
      file: '',
      runs: [],
    };
    await this.#run(source);
  }

  async #ingestAgain(): Promise<void> {
    const [source] = await this.#idle(({ kind }) => kind !== 'bam');
    if (source) await this.#run(source);
  }

  /** Uploads bytes, until that is acknowledged, and begins to ingest them. */
  async #run(source: Source): Promise<void> {
    const client = this.#client;
    const { bytes, shows } = this.#bytesOf(source);
    const name = `${source.tag}.${extensions[source.kind]}`;
    const upload = { name, datasetId: source.project, overwrite: true };
    const begun = await client.askUntil('POST', '/v1/files', [200], { body: upload });
    source.file = begun.body.id;
    await client.putUntil(begun.body.uploadUrl, bytes);
    const body = { datasetId: source.project, fileId: source.file };
    const reply = await client.change('ingestions.create', 'POST', '/v1/ingestions', [202], { body });
    const id: string | undefined = reply ? reply.body.id : await this.#unknownRun(source);
    if (id !== undefined) source.runs.push({ id, shows, cancelled: false });
    if (id !== undefined && source.runs.length === 1) this.#sources.push(source);
  }

  /** Finds the ingestion of the file that a lost answer would have named. */
  async #unknownRun({ project, file, runs }: Source): Promise<string | undefined> {
    const path = `/v1/ingestions?datasetId=${project}&pageSize=1000`;
    const { body } = await this.#client.askUntil('GET', path, [200]);
    const known = runs.map(({ id }) => id);
    const found = body.items.filter(
      (one: { id: string; fileId: string }) => one.fileId === file && !known.includes(one.id),
    );
    assert.ok(found.length <= 1, 'one request begins one ingestion at most');
    return found[0]?.id;
  }

  #bytesOf({ kind, tag }: Source): { bytes: Uint8Array; shows: string[] } {
    const { random } = this.#client;
    const count = 1 + random.below(random.chance(0.1) ? 20_000 : 400);
    if (kind === 'vcf')
      return { bytes: Buffer.from(vcfText(tag, count)), shows: [`variant,${tag},${count}`] };
    if (kind === 'omic')
      return { bytes: Buffer.from(omicTexts.copynumber(tag)), shows: [`copynumber,${tag},2`] };
    if (kind === 'fhir') {
      const shows = [`patient,${tag},${count}`, `observation,${tag},${2 * count}`];
      return { bytes: Buffer.from(fhirText(tag, count, 2)), shows };
    }
    const reads = Array.from({ length: count }, (_, position) => ({ reference: 0, position, group: tag }));
    const text = `@SQ\tSN:chr1\tLN:100000\n@RG\tID:${tag}\n`;
    return {
      bytes: bamBytes({ text, references: [['chr1', 100_000]], reads }),
      shows: [`reads,${tag},${count}`],
    };
  }

  async #cancel(): Promise<void> {
    const client = this.#client;
    const [source] = await this.#running();
    const run = source?.runs.at(-1);
    if (!run) return;
    const reply = await client.change('ingestions.cancel', 'DELETE', `/v1/ingestions/${run.id}`, [204, 409]);
    run.cancelled = reply?.status === 204;
  }

  async #move(): Promise<void> {
    const [source] = await this.#idle(({ kind }) => kind !== 'bam');
    if (!source) return;
    const { project: from, file } = source;
    const [to = from] = this.#projects.filter((one) => one !== from);
    const path = `/v1/files/${file}`;
    // 503: the process that was removing its rows from a merged file was killed, and the file stays.
    const reply = await this.#client.change('files.update', 'PATCH', path, [200, 503], {
      body: { datasetId: to },
    });
    const { body } = await this.#client.askUntil('GET', `${path}?include=metadata`, [200]);
    const places = { 200: [to], 503: [from] }[reply?.status ?? 0] ?? [from, to];
    assert.ok(places.includes(body.datasetId), 'it is where it was or where it went, as was answered');
    source.project = body.datasetId;
  }

  async #delete(): Promise<void> {
    const client = this.#client;
    if (this.#sources.length < 3) return;
    const index = client.random.below(this.#sources.length);
    const path = `/v1/files/${this.#sources[index]?.file}`;
    const reply = await client.change('files.delete', 'DELETE', path, [204]);
    const look = reply ?? (await client.askUntil('GET', `${path}?include=metadata`, [200, 404]));
    if (look.status !== 200) this.#sources.splice(index, 1);
  }

  async #running(): Promise<Source[]> {
    return this.#inState((state) => !ended.includes(state));
  }

  async #idle(fits: (source: Source) => boolean): Promise<Source[]> {
    return (await this.#inState((state) => ended.includes(state))).filter(fits);
  }

  /** Selects files whose last ingestion has a state; checks the latest and one other. */
  async #inState(fits: (state: string) => boolean): Promise<Source[]> {
    const found: Source[] = [];
    for (const source of this.#sources.slice(-runningMax)) {
      const path = `/v1/ingestions/${source.runs.at(-1)?.id}`;
      const { body } = await this.#client.askUntil('GET', path, [200]);
      if (fits(body.state)) found.push(source);
    }
    return found;
  }
}
