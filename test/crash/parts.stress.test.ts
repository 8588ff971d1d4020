import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { TestProject } from '../inputs/project.ts';
import { untilSwept } from './disk.ts';
import { ifAnswered, MortalService } from './mortal-service.ts';

const partBytes = 4 * 2 ** 20;
const chunkBytes = 2 ** 19;
const chunkPauseMs = 4;
const partCount = 6;
/** When the service dies, as part of the time that sending the parts, and then joining them, takes. */
const sendingMoments = [0.3, 0.6, 0.9];
const joiningMoments = [0.3, 0.6, 0.8, 1];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Parts');
});
after(() => service.end());

interface Upload {
  id: string;
  uploadId: string;
}

const contentOf = (round: string, part: number): Buffer => Buffer.alloc(partBytes, `${round}/${part};`);

function sha256Of(round: string): string {
  const hash = createHash('sha256');
  for (let part = 1; part <= partCount; part += 1) hash.update(contentOf(round, part));
  return hash.digest('hex');
}

async function begin(name: string): Promise<Upload> {
  const body = { name, datasetId: project.id, overwrite: true };
  const made = await service.call('POST', '/v1/uploads', { body });
  assert.equal(made.status, 200, made.text);
  return made.body;
}

async function* slowly(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    yield bytes.subarray(at, at + chunkBytes);
    await delay(chunkPauseMs);
  }
}

/** True for an acknowledged part. */
async function send({ uploadId }: Upload, part: number, round: string): Promise<boolean> {
  const { body } = await service.call('GET', `/v1/uploads/${uploadId}/parts/${part}`);
  const request = { method: 'PUT', body: slowly(contentOf(round, part)), duplex: 'half' } as RequestInit;
  const sent = await fetch(service.here(body.uploadUrl), request);
  const text = await sent.text();
  assert.equal(sent.status, 200, text);
  return true;
}

const numbers = Array.from({ length: partCount }, (_, index) => index + 1);
const sendAll = (upload: Upload, round: string, parts = numbers) =>
  Promise.all(parts.map((part) => ifAnswered(send(upload, part, round))));

async function complete({ uploadId }: Upload): Promise<boolean> {
  const reply = await service.call('DELETE', `/v1/uploads/${uploadId}`);
  assert.equal(reply.status, 204, reply.text);
  return true;
}

test('a crash while parts are sent loses none that was acknowledged, and the rest can be sent afterwards', async () => {
  const measured = await begin('measured.bin');
  const startedAt = performance.now();
  await sendAll(measured, 'measured');
  const durationMs = performance.now() - startedAt;
  for (const [index, moment] of sendingMoments.entries()) {
    const round = `sending-${index}`;
    const upload = await begin('sent.bin');
    const sending = sendAll(upload, round);
    await service.dieAfter(durationMs * moment);
    const acknowledged = await sending;
    const again = numbers.filter((_, at) => acknowledged[at] !== true);
    await untilSwept(service);
    assert.ok((await sendAll(upload, round, again)).every((done) => done === true));
    assert.ok(await complete(upload));
    assert.equal(
      await service.storedHash(upload.id),
      sha256Of(round),
      'joined from what was acknowledged before and after',
    );
    await untilSwept(service);
  }
});

test('a crash while parts are joined leaves the old file or the whole new one, and completing can be repeated', async () => {
  const first = await begin('joined.bin');
  await sendAll(first, 'first');
  const startedAt = performance.now();
  await complete(first);
  const durationMs = performance.now() - startedAt;
  let previous = 'first';
  for (const [index, moment] of joiningMoments.entries()) {
    const round = `joining-${index}`;
    const upload = await begin('joined.bin');
    assert.equal(upload.id, first.id);
    await sendAll(upload, round);
    const completion = ifAnswered(complete(upload));
    await service.dieAfter(durationMs * moment);
    const done = await completion;

    const now = await service.storedHash(first.id);
    const allowed = done ? [round] : [previous, round];
    assert.ok(allowed.map(sha256Of).includes(now ?? ''), `round ${round}`);
    await untilSwept(service);
    assert.ok(await complete(upload));
    assert.equal(await service.storedHash(first.id), sha256Of(round));
    assert.equal((await project.fileNames('joined.bin')).length, 1);
    await untilSwept(service);
    previous = round;
  }
  await service.assertAuditWhole();
});
