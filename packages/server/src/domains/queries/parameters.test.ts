import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { describeApp } from '../../../../../test/support/app.ts';

describeApp('parameters of statements', (app) => {
  let project: string;

  before(async () => {
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Parameters' } })).body.id;
  });

  test('parameters are values of a type, whatever they hold; each name needs one, and each one a name', async () => {
    const ask = (query: string, parameters: object[]) =>
      app.call('POST', '/v1/analytics/data-lake/rows', {
        body: { query, datasetId: project, parameters },
      });
    const text = { name: 'a', type: 'text', value: "x' OR 1=1; -- $b" };
    const values = [
      text,
      { name: 'b', type: 'number', value: '-2.5' },
      { name: 'c', type: 'date', value: '2026-11-30' },
    ];
    const reply = await ask('SELECT $a AS a, 1-$b AS b, $c AS c, $a = $a AS d', values);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.body.rows, [[text.value, 3.5, '2026-11-30', true]]);
    for (const [parameters, message] of [
      [[], /has no value for \$a/],
      [[text, { ...text, name: 'z' }], /has a value for \$z, which the statement does not name/],
      [[text, text], /has two values for \$a/],
      [[{ ...text, type: 'number' }], /has a value of \$a that must be a number/],
    ] as const) {
      const refused = await ask('SELECT $a', [...parameters]);
      assert.equal(refused.status, 400);
      assert.match(refused.body.error, message);
    }
  });
});
