import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Area, Client } from './client.ts';

const names = ['f-a', 'f-b', 'f-c', 'f-d', 'folder/f-e', 'folder/f-f'];
const partsMax = 3;
const bytesMax = 300_000;

interface Place {
  project: string;
  name: string;
}

interface Kept {
  id: string;
  sha256: string;
}

/** Uploads whole and in parts, overwrites, moves within and between two projects, deletions. */
export class Files implements Area {
  readonly acts = {
    'upload a file': () => this.#upload(),
    'upload a file in parts': () => this.#uploadParts(),
    'move a file': () => this.#move(),
    'delete a file': () => this.#delete(),
  };
  readonly #client: Client;
  readonly #projects: string[];
  /** Files by project and name. */
  readonly #kept = new Map<string, Kept>();

  constructor(client: Client, projects: string[]) {
    this.#client = client;
    this.#projects = projects;
  }

  async verify(): Promise<void> {
    for (const project of this.#projects) {
      const path = `/v1/files?datasetId=${project}&pageSize=1000`;
      const { body } = await this.#client.askUntil('GET', path, [200]);
      const listed: string[] = body.items.map(({ name }: { name: string }) => name);
      const mine = listed.filter((name) => names.includes(name)).sort();
      const expected = names.filter((name) => this.#kept.has(keyOf({ project, name })));
      assert.deepEqual(mine, expected.sort(), `${this.#client.name}: the files of the project ${project}`);
      for (const name of expected) await this.#settle([{ project, name }], [[this.#at({ project, name })]]);
    }
  }

  #anyPlace(): Place {
    const { random } = this.#client;
    return { project: random.pick(this.#projects), name: random.pick(names) };
  }

  #keptPlace(): Place | undefined {
    if (this.#kept.size === 0) return undefined;
    const [project = '', name = ''] = this.#client.random.pick([...this.#kept.keys()]).split(' ');
    return { project, name };
  }

  #at(place: Place): Kept | undefined {
    return this.#kept.get(keyOf(place));
  }

  #newBytes(): Buffer {
    const { random } = this.#client;
    const size = random.chance(0.1) ? random.below(2) : random.below(bytesMax);
    return Buffer.alloc(size, `${this.#client.newName('bytes of ')};`);
  }

  async #upload(): Promise<void> {
    const client = this.#client;
    const place = this.#anyPlace();
    const bytes = this.#newBytes();
    const body = { name: place.name, datasetId: place.project, overwrite: true };
    const begun = await client.ask('POST', '/v1/files', [200], { body });
    if (begun === undefined) return;
    const { id, uploadUrl } = begun.body;
    const after = { id, sha256: sha256Of(bytes) };
    const before = this.#at(place);
    if (before) assert.equal(id, before.id, 'an overwritten file keeps its id');
    if (await client.put(uploadUrl, bytes)) return this.#set(place, after);
    await this.#settle([place], [[before], [after]]);
    if (client.random.chance(0.5)) return;
    // The address still works: what was cut off is sent again.
    await client.putUntil(uploadUrl, bytes);
    this.#set(place, after);
  }

  async #uploadParts(): Promise<void> {
    const client = this.#client;
    const place = this.#anyPlace();
    const body = { name: place.name, datasetId: place.project, overwrite: true };
    const begun = await client.ask('POST', '/v1/uploads', [200], { body });
    if (begun === undefined) return;
    const { id, uploadId } = begun.body;
    const parts = Array.from({ length: 1 + client.random.below(partsMax) }, () => this.#newBytes());
    for (const [index, bytes] of parts.entries()) {
      const part = await client.askUntil('GET', `/v1/uploads/${uploadId}/parts/${index + 1}`, [200]);
      await client.putUntil(part.body.uploadUrl, bytes);
    }
    // Some are never completed.
    if (client.random.chance(0.1)) return;
    const after = { id, sha256: sha256Of(...parts) };
    const before = this.#at(place);
    const complete = () => client.ask('DELETE', `/v1/uploads/${uploadId}`, [204]);
    if (await complete()) return this.#set(place, after);
    await this.#settle([place], [[before], [after]]);
    if (client.random.chance(0.5)) return;
    while ((await complete()) === undefined);
    this.#set(place, after);
  }

  async #move(): Promise<void> {
    const [from, to] = [this.#keptPlace(), this.#anyPlace()];
    const moved = from && this.#at(from);
    if (!moved || keyOf(from) === keyOf(to)) return;
    const present = this.#at(to);
    const body = { name: to.name, datasetId: to.project };
    const reply = await this.#client.change(
      'files.update',
      'PATCH',
      `/v1/files/${moved.id}`,
      [present ? 409 : 200],
      { body },
    );
    if (present) return;
    if (!reply) {
      await this.#settle(
        [from, to],
        [
          [moved, undefined],
          [undefined, moved],
        ],
      );
      return;
    }
    this.#set(from, undefined);
    this.#set(to, moved);
  }

  async #delete(): Promise<void> {
    const place = this.#keptPlace();
    const before = place && this.#at(place);
    if (!before) return;
    const reply = await this.#client.change('files.delete', 'DELETE', `/v1/files/${before.id}`, [204]);
    if (reply) this.#set(place, undefined);
    else await this.#settle([place], [[before], [undefined]]);
  }

  /** Looks which of the outcomes it is, and holds the service to it from now on. */
  async #settle(places: Place[], outcomes: (Kept | undefined)[][]): Promise<void> {
    const found: (Kept | undefined)[] = [];
    for (const place of places) found.push(await this.#look(place));
    const texts = outcomes.map((one) => JSON.stringify(one));
    const message = `${this.#client.name}: ${places.map(keyOf)} are ${JSON.stringify(found)}, and not ${texts.join(' or ')}`;
    assert.ok(texts.includes(JSON.stringify(found)), message);
    for (const [index, place] of places.entries()) this.#set(place, found[index]);
  }

  async #look({ project, name }: Place): Promise<Kept | undefined> {
    const client = this.#client;
    const path = `/v1/files?datasetId=${project}&pageSize=1000&name=${encodeURIComponent(name)}`;
    const { body } = await client.askUntil('GET', path, [200]);
    const listed = body.items.find((item: { name: string }) => item.name === name);
    if (!listed) return undefined;
    const { text } = await client.askUntil('GET', `/v1/files/${listed.id}`, [200]);
    return { id: listed.id, sha256: sha256Of(Buffer.from(text)) };
  }

  #set(place: Place, kept: Kept | undefined): void {
    if (kept) this.#kept.set(keyOf(place), kept);
    else this.#kept.delete(keyOf(place));
  }
}

const keyOf = ({ project, name }: Place): string => `${project} ${name}`;

function sha256Of(...pieces: Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}
