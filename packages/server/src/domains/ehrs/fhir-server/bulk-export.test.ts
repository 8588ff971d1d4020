import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { awaitExport, nameOfList } from './bulk-export.ts';
import type { FhirServer } from './fhir-server.ts';

const list = (...urls: string[]) => nameOfList(urls.map((url) => ({ type: 'Patient', url })));

test('a list with newly signed addresses is the same list', () => {
  assert.equal(
    list('https://a/1?sign=x', 'https://a/2?sign=x'),
    list('https://a/1?sign=y', 'https://a/2?sign=z'),
  );
});

test('files in another order, or other files, are another list, also if only the queries of addresses differ', () => {
  assert.notEqual(list('https://a/1', 'https://a/2'), list('https://a/2', 'https://a/1'));
  assert.notEqual(
    list('https://a/file?n=1', 'https://a/file?n=2'),
    list('https://a/file?n=2', 'https://a/file?n=1'),
  );
  assert.notEqual(
    list('https://a/file?n=1', 'https://a/file?n=2'),
    list('https://a/file?n=1', 'https://a/file?n=3'),
  );
});

/** Answers each address with the page of a list of files, or 202 where there is none. */
function serverOf(pages: Record<string, object>): FhirServer {
  const answers = Object.entries(pages).map(([url, page]) => [url, JSON.stringify(page)] as const);
  const bodies = new Map(answers);
  const ask = async ({ url }: { url: string }, _: number[], read: (answer: object) => Promise<unknown>) =>
    read({
      status: bodies.has(url) ? 200 : 202,
      headers: {},
      body: Readable.from([Buffer.from(bodies.get(url) ?? '')]),
    });
  return { ask, locate: (url: string) => url } as unknown as FhirServer;
}

const position = { kind: 'export', statusUrl: 'https://a/status', taken: null } as const;
const noWait = async () => undefined;

test('a list of files with several pages is read to its end, and one without an end is refused', async () => {
  const page = (url: string, next?: string) => ({
    transactionTime: '2026-01-01T00:00:00Z',
    output: [{ type: 'Patient', url }],
    error: [{}],
    ...(next !== undefined && { link: [{ relation: 'next', url: next }] }),
  });
  const server = serverOf({
    'https://a/status': page('https://a/1', 'https://a/status?page=2'),
    'https://a/status?page=2': page('https://a/2'),
  });
  const { files, errors, list: name } = await awaitExport(server, position, noWait);
  assert.deepEqual([files.map(({ url }) => url), errors], [['https://a/1', 'https://a/2'], 2]);
  assert.equal(name, nameOfList(files));
  const circle = serverOf({ 'https://a/status': page('https://a/1', 'https://a/status') });
  await assert.rejects(awaitExport(circle, position, noWait), /1000 pages/);
});
