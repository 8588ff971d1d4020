// Uses tools as assistants in Node do. URL, KEY, PROJECT, BROWSER and MODULES (a folder) are in the environment.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const { URL: address, KEY: key, PROJECT: project, BROWSER: browser, MODULES: folder = '.' } = process.env;
const found = createRequire(join(folder, 'package.json')).resolve('@modelcontextprotocol/client');
const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import(pathToFileURL(found).href);
const url = new URL(address);
const about = { name: 'test', version: '1' };

/** Uses every kind of answer. */
async function use(client) {
  const { tools } = await client.listTools();
  assert.ok(tools.some(({ name }) => name === 'query'));
  const call = (name, input) => client.callTool({ name, arguments: input });
  const { structuredContent } = await call('list_projects', {});
  assert.ok(structuredContent.data.items.some(({ id }) => id === project));
  const counted = await call('query', { project, sql: 'SELECT count(*) FROM patient' });
  assert.deepEqual(counted.structuredContent.data.rows, [[5]]);
  const refused = await call('query', { project, sql: 'DROP TABLE patient' });
  assert.equal(refused.isError, true);
  await client.close();
}

// With a key, in each era of the protocol.
for (const versionNegotiation of [undefined, { mode: 'auto' }, { mode: { pin: '2026-07-28' } }]) {
  const client = new Client(about, versionNegotiation && { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  await use(client);
}

// By OAuth: registers itself, and the user consents.
const kept = {};
let code;
const authProvider = {
  redirectUrl: 'http://localhost:50123/callback',
  clientMetadata: {
    client_name: 'Node client',
    redirect_uris: ['http://localhost:50123/callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  },
  clientInformation: () => kept.client,
  saveClientInformation: (client) => void (kept.client = client),
  tokens: () => kept.tokens,
  saveTokens: (tokens) => void (kept.tokens = tokens),
  codeVerifier: () => kept.verifier,
  saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  discoveryState: () => kept.discovery,
  saveDiscoveryState: (state) => void (kept.discovery = state),
  redirectToAuthorization: async (to) => {
    const location = await (await fetch(browser, { method: 'POST', body: String(to) })).text();
    code = new URL(location).searchParams;
  },
};
const first = new StreamableHTTPClientTransport(url, { authProvider });
await assert.rejects(new Client(about).connect(first), UnauthorizedError);
await first.finishAuth(code);
const client = new Client(about, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(url, { authProvider }));
await use(client);
assert.ok(kept.tokens.refresh_token);
console.log('done');
