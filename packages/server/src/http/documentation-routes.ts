import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../problem.ts';
import type { Route } from '../route.ts';

/**
 * Answers under `/docs` what a server of its own answers that only describes. It is made with the first request: to read its code
 * and to gather all routes once more would be a seventh of each start, and most services are never asked.
 */
export function answerDocumentation(app: FastifyInstance, routes: Route[]): void {
  let describing: Promise<FastifyInstance> | undefined;
  const open = async (): Promise<FastifyInstance> => {
    const { describingServer } = await import('./describe-api.ts');
    return describingServer(routes, true);
  };
  const handler = async ({ url, headers: asked }: FastifyRequest, reply: FastifyReply) => {
    describing ??= open().catch((error: unknown) => {
      describing = undefined;
      throw error;
    });
    const answer = await (await describing).inject({ url, headers: asked });
    if (answer.statusCode === 404) throw notFound();
    // Those are of the connection, which is this server's.
    const { connection: _, date: __, ...headers } = answer.headers;
    const bytes = answer.rawPayload;
    return reply
      .code(answer.statusCode)
      .headers(headers)
      .send(bytes.length > 0 ? bytes : undefined);
  };
  for (const url of ['/docs', '/docs/*']) app.get(url, handler);
  // Whoever opens the address that a start prints shall find something.
  app.get('/', (_, reply) => reply.redirect('/docs'));
}
