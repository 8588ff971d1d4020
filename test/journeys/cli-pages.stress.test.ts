/** Every list of the command line, of a service that answers page by page. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Shape } from '../../packages/client/src/answer-fault.ts';
import { answers, shapes } from '../../packages/client/src/generated/answer-shapes.ts';
import { commandLine } from '../support/command-line.ts';

const id = '0192d3a1-5b7c-7e2a-9d40-6c1f2e3a4b5c';
const { home, start, remove } = commandLine();

/** Makes a value that has what a shape requires; its texts are the name. */
function filled({ $ref, type, properties = {}, required = [], anyOf }: Shape, name: string): unknown {
  if ($ref !== undefined) return filled(shapes[$ref] ?? {}, name);
  if (anyOf) return filled(anyOf[0] ?? {}, name);
  if (type === 'object')
    return Object.fromEntries(required.map((field) => [field, filled(properties[field] ?? {}, name)]));
  const values: Record<string, unknown> = { array: [], boolean: false, integer: 0, number: 0, null: null };
  return type !== undefined && type in values ? values[type] : name;
}

/** Returns the shape of what a path answers. */
function shapeOf(path: string): Shape {
  const isAt = (key: string): boolean =>
    new RegExp(`^GET ${key.slice(4).replace(/\{\w+\}/g, '[^/]+')}$`).test(`GET ${path}`);
  const found = Object.entries(answers).find(([key]) => key.startsWith('GET ') && isAt(key));
  const { $ref = '' } = found?.[1]['200'] ?? {};
  return shapes[$ref] ?? {};
}

/** Answers every list with one item a page, and everything else with an object of that id. */
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://service');
  const isLast = url.searchParams.get('nextPageToken') === 'last';
  const shape = shapeOf(url.pathname);
  const made = (of: Shape, name: string) => ({ ...(filled(of, name) as object), id: name, name, file: name });
  const item = (name: string) => made(shape.properties?.['items']?.items ?? {}, name);
  const next = `${url.pathname}?nextPageToken=last`;
  const page = isLast
    ? { items: [item('Second')], links: { self: '/' } }
    : { items: [item('First')], links: { self: '/', next } };
  const body = url.pathname.endsWith(id) ? made(shape, id) : page;
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id, ...body }));
  });
});

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
after(() => {
  server.close();
  remove();
});

async function run(...words: string[]): Promise<ReturnType<typeof JSON.parse>> {
  const { port } = server.address() as AddressInfo;
  const env = {
    PLOIDY_ADDRESS: `http://127.0.0.1:${port}`,
    PLOIDY_API_KEY: 'key',
    PLOIDY_ACCOUNT: 'main',
  };
  const { code, out, err } = await start([...words, '--json'], { env }).ended;
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

const inProject = ['--project', id];
for (const words of [
  ['projects', 'ls'],
  ['files', 'ls', ...inProject],
  ['files', 'ls', '--folder', ...inProject],
  ['ingestions', 'ls', ...inProject],
  ['queries', 'ls', ...inProject],
  ['cohorts', 'ls', ...inProject],
  ['ehrs', 'ls'],
  ['ehrs', 'syncs', 'Second'],
  ['groups', 'ls'],
  ['groups', 'members', id],
  ['users', 'ls'],
  ['invitations', 'ls', '--sent'],
  ['policies', 'ls'],
  ['keys', 'ls'],
  ['audit'],
])
  test(`ploidy ${words.filter((word) => word !== id).join(' ')} lists the items of every page`, async () => {
    const items: { name: string }[] = await run(...words);
    assert.deepEqual(
      items.map(({ name }) => name),
      ['First', 'Second'],
    );
  });

test('an item on a later page is found by apply, and not made again', async () => {
  const file = join(home, 'account.yaml');
  const sections = ['projects', 'groups', 'policies', 'ehrs'];
  writeFileSync(file, sections.map((section) => `${section}:\n  - name: Second\n`).join(''));
  const changes: { kind: string; action: string }[] = await run('apply', '-f', file, '--plan');
  assert.deepEqual(
    changes.map(({ kind, action }) => [kind, action]),
    sections.map((section) => [section, 'none']),
  );
});
