import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestProject } from '../inputs/project.ts';
import { untilSwept } from './disk.ts';
import { ifAnswered, MortalService } from './mortal-service.ts';

const chunkBytes = 2 ** 18;
const chunks = 32;
const chunkPauseMs = 8;
/** When the service dies, as part of the time that an upload takes: over the whole, and closely where bytes become a file. */
const moments = [0.1, 0.4, 0.7, 0.92, 0.98, 1];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Uploads');
});
after(() => service.end());

/** The bytes of a round: nothing of one round looks like something of another. */
const chunkOf = (round: string): Buffer => Buffer.alloc(chunkBytes, `${round} of the rounds;`);

const hashes = new Map<string, string>();

function sha256Of(round: string): string {
  const known = hashes.get(round);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  for (let index = 0; index < chunks; index += 1) hash.update(chunkOf(round));
  hashes.set(round, hash.digest('hex'));
  return sha256Of(round);
}

/** Returns an upload as over a slow line. */
async function* slowly(round: string): AsyncGenerator<Buffer> {
  for (let index = 0; index < chunks; index += 1) {
    yield chunkOf(round);
    await delay(chunkPauseMs);
  }
}

interface Upload {
  id: string;
  uploadUrl: string;
}

async function begin(name: string): Promise<Upload> {
  const made = await service.call('POST', '/v1/files', {
    body: { name, datasetId: project.id, overwrite: true },
  });
  assert.equal(made.status, 200, made.text);
  return made.body;
}

/** True for acknowledged bytes. */
async function send({ uploadUrl }: Upload, round: string): Promise<boolean> {
  const body = slowly(round);
  const request = { method: 'PUT', body, duplex: 'half' } as RequestInit;
  const sent = await fetch(service.here(uploadUrl), request);
  const text = await sent.text();
  assert.equal(sent.status, 200, text);
  return true;
}

test('a crash at any moment of an upload loses nothing acknowledged and shows nothing half-done', async () => {
  const replaced = await begin('replaced.bin');
  const startedAt = performance.now();
  await send(replaced, 'first');
  const durationMs = performance.now() - startedAt;
  let previous = 'first';
  const acknowledged: [string, string][] = [];
  for (const [index, moment] of [...moments, undefined].entries()) {
    const round = `${index}`;
    const [fresh, overwrite] = [await begin(`fresh-${round}.bin`), await begin('replaced.bin')];
    const both = Promise.all([ifAnswered(send(fresh, round)), ifAnswered(send(overwrite, round))]);
    if (moment === undefined) await both;
    await service.dieAfter(durationMs * (moment ?? 0));
    const [freshDone, overwriteDone] = await both;

    const freshHash = await service.storedHash(fresh.id);
    if (freshDone || freshHash !== undefined)
      assert.equal(freshHash, sha256Of(round), `fresh, round ${round}`);
    const listed = await project.fileNames(`fresh-${round}.bin`);
    assert.equal(listed.length, freshHash === undefined ? 0 : 1, 'the list and the bytes agree');
    const replacedHash = await service.storedHash(replaced.id);
    const allowed = overwriteDone ? [round] : [previous, round];
    assert.ok(allowed.map(sha256Of).includes(replacedHash ?? ''), `overwrite, round ${round}`);
    await untilSwept(service);

    // The addresses still work: what was cut off is sent again.
    if (index % 5 === 0) assert.ok(await send(fresh, round));
    if (freshDone || index % 5 === 0) acknowledged.push([fresh.id, sha256Of(round)]);
    previous = replacedHash === sha256Of(round) ? round : previous;
  }
  for (const [id, hash] of acknowledged) assert.equal(await service.storedHash(id), hash);
  await untilSwept(service);
  await service.assertAuditWhole();
});
