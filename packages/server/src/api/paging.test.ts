import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { secretsFrom } from '../platform/secrets/secrets.ts';
import { Pages } from './paging.ts';

const list = { scope: 'rows', path: '/v1/rows', query: {} };

test('pages of texts of any length give each row once, in order, within their limit of characters', () => {
  const pages = new Pages(secretsFrom(Buffer.alloc(32, 1)));
  const lengths = fc.array(fc.oneof(fc.nat(10), fc.integer({ min: 500_000, max: 5_000_000 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(lengths, fc.integer({ min: 1, max: 8 }), (texts, size) => {
      const seen: number[] = [];
      for (let token: string | undefined = ''; token !== undefined; ) {
        const request = pages.read({ pageSize: size, nextPageToken: token ?? '' }, list.scope);
        const first = request.after ? Number(request.after[0]) + 1 : 0;
        const rows = texts.map((length, at) => ({ at, length })).slice(first, first + size + 1);
        const answer = pages.answer(
          rows,
          request,
          list,
          ({ at }) => [at],
          ({ at, length }) => ({ at, text: 'x'.repeat(length) }),
        );
        const characters = answer.items.reduce((sum, { text }) => sum + text.length, 0);
        assert.ok(answer.items.length <= size);
        assert.ok(answer.items.length <= 1 || characters <= 4_000_000);
        seen.push(...answer.items.map(({ at }) => at));
        const { next } = answer.links;
        token = next && (new URL(next, 'http://localhost').searchParams.get('nextPageToken') ?? undefined);
      }
      assert.deepEqual(seen, [...texts.keys()]);
    }),
    { numRuns: 50 },
  );
});
