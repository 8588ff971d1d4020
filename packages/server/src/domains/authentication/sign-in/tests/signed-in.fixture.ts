import { createHash, randomBytes } from 'node:crypto';
import type { Reply, TestApp } from '../../../../../../../test/support/app.ts';
import { Sessions } from '../sessions/index.ts';

/** Redirect address of these tests; nothing listens there. */
export const callback = 'https://app.example/callback';

/** Returns the cookie of a signed-in browser. */
export async function signedIn(
  app: Pick<TestApp, 'people'>,
  userId: string,
  authenticatedAt = Date.now(),
): Promise<string> {
  const { records } = app.people;
  const sessions = new Sessions(records, { lifeMs: 3_600_000, idleMs: 3_600_000 });
  const token = await records.transact(async (tx) => {
    const begun = await sessions.begin(tx, { userId, methods: ['pwd'], userAgent: 'test', address: '' });
    await tx
      .updateTable('sessions')
      .set({ authenticated_at: authenticatedAt })
      .where('id', '=', begun.session.id)
      .execute();
    return begun.token;
  });
  return `ploidy-session=${token}`;
}

/** Returns the id of the user of the first key. */
export async function firstUser(app: TestApp): Promise<string> {
  const row = await app.people.records.read
    .selectFrom('users')
    .select('id')
    .where('email', '=', 'admin@localhost')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Registers a client of the first account. */
export async function makeClient(
  app: Pick<TestApp, 'call'>,
  body: object = {},
): Promise<{ id: string; secret?: string }> {
  const reply = await app.call('POST', '/v1/clients', {
    body: { name: 'Application', callbackUrls: [callback], ...body },
  });
  if (reply.status !== 201) throw new Error(reply.text);
  return reply.body;
}

/** Requests /oauth/authorize as a browser would, without following redirects. */
export async function authorize(
  app: TestApp,
  parameters: Record<string, string>,
  cookie?: string,
): Promise<{ status: number; location: URL | undefined; text: string; headers: Headers }> {
  const response = await fetch(`${app.address}/v1/oauth/authorize?${new URLSearchParams(parameters)}`, {
    redirect: 'manual',
    headers: { ...(cookie !== undefined && { cookie }) },
  });
  const location = response.headers.get('location');
  return {
    status: response.status,
    location: location === null ? undefined : new URL(location),
    text: await response.text(),
    headers: response.headers,
  };
}

/** Returns a verifier and its challenge (RFC 7636). */
export function pkce(): {
  verifier: string;
  challenge: { code_challenge: string; code_challenge_method: string };
} {
  const verifier = randomBytes(32).toString('base64url');
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, challenge: { code_challenge, code_challenge_method: 'S256' } };
}

/** Posts a form to the token endpoint or a similar one. */
export async function postForm(
  app: TestApp,
  path: string,
  form: Record<string, string> | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  return app.call('POST', path, {
    key: undefined,
    account: undefined,
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}
