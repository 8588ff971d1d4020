import fastify, { type FastifyInstance } from 'fastify';
import type { Route } from '../../api/route.ts';
import { updateMethod } from '../connection/update-method.ts';
import { registerRoutes } from '../register.ts';
import { addDocumentation } from './documentation.ts';
import { compileValidator } from './validation.ts';

/**
 * Builds the API document of these routes, as under /docs/json of a running service, without calling
 * handlers.
 */
export async function describeApi(routes: Route[], pages: readonly string[]): Promise<object> {
  const app = fastify() as unknown as FastifyInstance;
  app.addHttpMethod(updateMethod, { hasBody: true });
  app.setValidatorCompiler(compileValidator);
  await addDocumentation(app, pages, '');
  const never = new Proxy({}, { get: () => () => Promise.reject(new Error('this server only describes')) });
  registerRoutes(app, routes, { gate: never, idempotency: never, shedding: never } as never);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
