import fastify, { type FastifyInstance } from 'fastify';
import type { Route } from '../route.ts';
import { addDocumentation } from './documentation.ts';
import { registerRoutes } from './register.ts';
import { updateMethod } from './update-method.ts';
import { compileValidator } from './validation.ts';

/** The API document of these routes, as the running service gives it under /docs/json; no handler is called. */
export async function describeApi(routes: Route[]): Promise<object> {
  const app = fastify() as unknown as FastifyInstance;
  app.addHttpMethod(updateMethod, { hasBody: true });
  app.setValidatorCompiler(compileValidator);
  await addDocumentation(app, false);
  const never = new Proxy({}, { get: () => () => Promise.reject(new Error('this server only describes')) });
  registerRoutes(app, routes, { gate: never, idempotency: never, overload: never } as never);
  await app.ready();
  const document = app.swagger();
  await app.close();
  return document;
}
