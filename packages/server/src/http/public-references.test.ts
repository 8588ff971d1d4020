/** Answers of a service with a path on its host; every route is asked in `test/isolation/path.stress.test.ts`. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type CallOptions, call, describeOnSqlite } from '../../../../test/support/app.ts';

const publicUrl = 'https://hospital.example/ploidy';

describeOnSqlite(
  'a service with a path on its host',
  (app) => {
    const ask = (path: string, options: CallOptions = {}, method = 'GET') => {
      const { port } = app.app.server.server.address() as AddressInfo;
      return call(`http://127.0.0.1:${port}`, method, path, {
        key: app.key,
        account: app.account,
        ...options,
      });
    };

    test('a request is answered with the path, and without it', async () => {
      for (const path of ['/v1/user', '/ploidy/v1/user', '/healthz', '/ploidy/healthz'])
        assert.equal((await ask(path)).status, 200, path);
      for (const path of [
        '/ploidyx/v1/user',
        '/ploidy/ploidy/v1/user',
        '/PLOIDY/v1/user',
        '/x/ploidy/v1/user',
      ])
        assert.equal((await ask(path)).status, 404, path);
    });

    test('metadata of the issuer is where each kind of client looks', async () => {
      for (const name of ['openid-configuration', 'oauth-authorization-server'])
        for (const path of [`/.well-known/${name}/ploidy/v1`, `/ploidy/v1/.well-known/${name}`]) {
          const { body } = await ask(path);
          assert.equal(body.issuer, `${publicUrl}/v1`, path);
          assert.equal(body.token_endpoint, `${publicUrl}/v1/oauth/token`, path);
        }
    });

    test('the endpoint of assistants names metadata within the path, which are at the root of the host, too', async () => {
      const { account } = app;
      const { body } = await ask(`/.well-known/oauth-protected-resource/ploidy/${account}/mcp`);
      const same = await ask(`/ploidy/.well-known/oauth-protected-resource/${account}/mcp`);
      assert.deepEqual(body, same.body);
      assert.deepEqual(
        [body.resource, body.authorization_servers],
        [`${publicUrl}/${account}/mcp`, [`${publicUrl}/v1`]],
      );
      const refused = await ask(`/ploidy/${account}/mcp`, { key: undefined, body: {} }, 'POST');
      assert.match(
        refused.headers.get('www-authenticate') ?? '',
        new RegExp(`resource_metadata="${publicUrl}/\\.well-known/oauth-protected-resource/${account}/mcp"`),
      );
    });

    test('lists, redirects, forms and the API document refer below the path', async () => {
      const projects = await ask('/ploidy/v1/projects?pageSize=1');
      assert.equal(projects.body.links.self, '/ploidy/v1/projects?pageSize=1');
      const form = await ask('/ploidy/v1/oauth/sign-in', { key: undefined });
      assert.match(form.text, /<form method="post" action="\/ploidy\/v1\/oauth\/sign-in">/);
      assert.doesNotMatch(form.text, /(?:href|action|src)="\/(?!ploidy\/)/);
      const { body } = await ask('/ploidy/docs/json');
      assert.deepEqual(body.servers[0].url, '/ploidy');
      assert.equal(
        body.components.securitySchemes.oauth2.flows.authorizationCode.tokenUrl,
        '/ploidy/v1/oauth/token',
      );
      const docs = await ask('/ploidy/docs', { key: undefined });
      assert.match(docs.text, /src="\/ploidy\/docs\/static\//);
    });

    // asvs: 3.3.1, 3.3.3
    test('cookies go to this path alone, and to https', async () => {
      const { headers } = await ask('/ploidy/v1/oauth/sign-in', { key: undefined });
      assert.match(
        headers.get('set-cookie') ?? '',
        /^__Secure-ploidy-form=[\w-]{43}; Path=\/ploidy; HttpOnly; SameSite=Lax; Secure; Max-Age=3600$/,
      );
    });
  },
  { PLOIDY_PUBLIC_URL: `${publicUrl}/` },
);
