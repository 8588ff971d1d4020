import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { PageContent } from './page-content.ts';
import { PageReader } from './read-page.ts';

const reader = new PageReader();
after(() => reader.close());

async function* cut(text: string, bytes: number): AsyncGenerator<Buffer> {
  const all = Buffer.from(text);
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes);
}

async function read(text: string, bytes = 65_536) {
  const content: PageContent = { counts: new Map(), patients: [], next: undefined, isPartial: false };
  const lines = await Array.fromAsync(reader.read(cut(text, bytes), content));
  return { lines: Buffer.concat(lines).toString('utf8'), content };
}

const bundle = (...resources: string[]) =>
  `{"resourceType":"Bundle","entry":[${resources.map((one) => `{"resource": ${one}}`)}],"link":[{"relation":"next","url":"n"}]}`;

test('resources are kept as written, wherever a page is cut, and are parsed outside the event loop', async (t) => {
  const parse = t.mock.method(JSON, 'parse');
  const patient = '{"resourceType":"Patient","id":"é","x":1.50}';
  const outcome = '{"resourceType":"OperationOutcome"}';
  for (const bytes of [1, 7, 1000]) {
    const { lines, content } = await read(bundle(patient, outcome, patient), bytes);
    assert.equal(lines, `${patient}\n${patient}\n`);
    assert.deepEqual(content, {
      counts: new Map([['Patient', 2]]),
      patients: ['é', 'é'],
      next: 'n',
      isPartial: false,
    });
  }
  assert.equal(parse.mock.callCount(), 0);
});

test('a page may begin with a byte order mark, wherever it is cut', async () => {
  for (const bytes of [1, 2, 3, 1000]) {
    const { lines, content } = await read(`\ufeff${bundle('{"resourceType":"Patient","id":"p"}')}`, bytes);
    assert.deepEqual([lines, content.next], ['{"resourceType":"Patient","id":"p"}\n', 'n']);
  }
});

test('a page is partial if its outcome is an error, or a warning about missing data', async () => {
  const isPartial = async (severity: string, code: string) => {
    const outcome = {
      resourceType: 'OperationOutcome',
      issue: [{ severity: 'information' }, { severity, code }],
    };
    return (await read(bundle(JSON.stringify(outcome)))).content.isPartial;
  };
  for (const [severity, code] of [
    ['error', 'processing'],
    ['fatal', 'exception'],
    ['warning', 'suppressed'],
    ['warning', 'incomplete'],
  ] as const)
    assert.equal(await isPartial(severity, code), true, `${severity} ${code}`);
  for (const [severity, code] of [
    ['warning', 'processing'],
    ['information', 'suppressed'],
  ] as const)
    assert.equal(await isPartial(severity, code), false, `${severity} ${code}`);
  assert.equal(
    (await read(bundle('{"resourceType":"OperationOutcome","issue":7}'))).content.isPartial,
    false,
  );
});

test('an invalid page may be retried, and the next one is read', async () => {
  for (const text of ['<html>', '{"resourceType":"Bundle","entry":[{]}', '{"a":1}', '[]', ''])
    await assert.rejects(read(text), { code: 'BROKEN_PAGE', isPassing: true });
  assert.equal((await read(bundle())).lines, '');
});

test('a resource may be as large as in an ingestion; a larger one, or one of too many values, is not retried', async () => {
  const large = (bytes: number) => `{"resourceType":"Binary","data":"${'x'.repeat(bytes)}"}`;
  assert.equal((await read(bundle(large(17_000_000)))).lines.length, large(17_000_000).length + 1);
  const refused = { code: 'RESOURCE_TOO_LARGE', isPassing: false };
  await assert.rejects(read(bundle(large(64 * 1024 * 1024))), refused);
  const many = `[${'{},'.repeat(2_100_000)}{}]`;
  await assert.rejects(read(bundle(`{"resourceType":"Binary","data":${many}}`)), refused);
  await assert.rejects(read(`{"resourceType":"Bundle","data":${many},"entry":[]}`), refused);
  assert.equal((await read(bundle(large(1)))).lines, `${large(1)}\n`);
});

test('the counts of types and the list of patients are bounded', async () => {
  const letters = (number: number) => number.toString(2).replaceAll('0', 'a').replaceAll('1', 'b');
  const invented = Array.from({ length: 700 }, (_, number) => `{"resourceType":"X${letters(number)}"}`);
  const { counts } = (await read(bundle(...invented))).content;
  assert.deepEqual([counts.size, counts.get('Xb'), counts.get('Other')], [501, 1, 200]);
  const long = `{"resourceType":"Patient","id":"${'x'.repeat(257)}"}`;
  const many = Array.from({ length: 100_002 }, (_, id) => `{"resourceType":"Patient","id":"${id}"}`);
  const { patients } = (await read(bundle(long, ...many))).content;
  assert.deepEqual([patients.length, patients[0]], [100_001, '0']);
});
