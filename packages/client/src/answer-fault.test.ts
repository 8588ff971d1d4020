import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFault } from './answer-fault.ts';
import { PloidyClient } from './client.ts';
import { json, scriptedServer } from './scripted-server.fixture.ts';

const accounts = (answer: unknown, status = 200): string | undefined =>
  answerFault('GET', '/v1/accounts', status, answer);

test('the first difference of an answer from the API document is named by its place', () => {
  const account = { id: 'main', name: 'Main', owner: 'o', type: 'PAID', assistants: 'off' };
  assert.equal(accounts({ accounts: [account] }), undefined);
  assert.equal(accounts({ accounts: [{ ...account, addedLater: [1] }], links: {} }), undefined);
  assert.equal(accounts({}), 'accounts is missing');
  assert.equal(accounts([]), 'the answer should be of type object');
  assert.equal(
    accounts({ accounts: [account, { ...account, id: 5 }] }),
    'accounts[1].id should be of type string',
  );
});

test('an answer of another success is compared too, and one without a schema is not', () => {
  assert.equal(accounts({}, 201), 'accounts is missing');
  assert.equal(answerFault('GET', '/nowhere', 200, 5), undefined);
});

test('a client that compares answers throws the address and the difference', async () => {
  await using server = await scriptedServer(json(200, { id: 'p', name: 7, description: '' }));
  const { address } = server;
  const client = new PloidyClient({ address, apiKey: 'key', account: 'main', faultOf: answerFault });
  await assert.rejects(client.api.GET('/v1/projects/{id}', { params: { path: { id: 'p' } } }), {
    code: 'FOREIGN_ANSWER',
    message: `The answer to GET ${address}/v1/projects/{id} is not one of this API: name should be of type string.`,
  });
});
