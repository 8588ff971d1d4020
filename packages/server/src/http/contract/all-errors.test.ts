import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

const unknown = '01990000-0000-7000-8000-00000000000f';

/** Requests with several errors each, some beyond any schema, and their paths. */
const requests: [path: string, body: object, errors: string[]][] = [
  ['/v1/files', { name: 'a//b' }, ['datasetId', 'name']],
  [
    '/v1/files',
    { name: 'a/../b', datasetId: unknown, size: -1, contentMD5: 'x', id: 'q' },
    ['contentMD5', 'id', 'name', 'size'],
  ],
  ['/v1/uploads', { name: '.', datasetId: '' }, ['datasetId', 'name']],
  ['/v1/invitations', { email: 'bad', group: 5 }, ['email', 'group']],
  [
    '/v1/analytics/data-lake/query',
    { datasetId: 5, outputFileName: 'a//b', query: 'half a pair: \ud800' },
    ['datasetId', 'outputFileName', 'query'],
  ],
  ['/v1/projects', { name: '', description: 'a\0b' }, ['description', 'name']],
];

describeApp('errors in a body', (app) => {
  for (const [path, body, errors] of requests)
    test(`${path} ${JSON.stringify(Object.keys(body))}: all errors are reported at once, each once`, async () => {
      const { status, body: answer } = await app.call('POST', path, { body });
      assert.deepEqual([status, answer.code], [400, 'INVALID_INPUT']);
      const paths = answer.details.map((detail: { path: string }) => detail.path).sort();
      assert.deepEqual(
        paths,
        errors.map((one) => `body/${one}`),
      );
    });
});
