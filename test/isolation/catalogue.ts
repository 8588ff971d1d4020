import { tmpdir } from 'node:os';
import { Ajv } from 'ajv';
import { type Operation, operationOf, operations } from '../../packages/server/src/access/operations.ts';
import { pathsOf, type Route } from '../../packages/server/src/api/route.ts';
import { routeCatalogue } from '../../packages/server/src/app/route-catalogue.ts';
import { readConfig } from '../../packages/server/src/config/config.ts';
import type { Reply } from '../support/app.ts';
import { cases, type RouteCase } from './cases.ts';

/** A route under one of its addresses, and how tests ask it. */
export interface Asked {
  /** Method and path, as in `ploidy admin docs access`. */
  name: string;
  route: Route;
  needs: Operation['needs'];
  case: RouteCase;
  /** The first 2xx that it declares. */
  success: number;
}

/** Every address of every route, as `routeCatalogue` declares them. */
export const addresses: { name: string; route: Route }[] = routeCatalogue(
  readConfig({ PLOIDY_DATA_DIR: tmpdir() }),
).flatMap((route) => pathsOf(route).map((path) => ({ name: `${route.method} ${path}`, route })));

/** Routes that have a case; a separate test lists routes without one. */
export const asked: Asked[] = addresses.flatMap(({ name, route }) => {
  if (!Object.hasOwn(operations, route.operation))
    throw new Error(
      `${name} names the operation ${route.operation}: add it to a file of packages/server/src/access/operations/`,
    );
  const found = cases[name];
  if (!found) return [];
  const success = Number(Object.keys(route.answers).find((status) => status.startsWith('2')));
  return [{ name, route, needs: operationOf(route.operation).needs, case: found, success }];
});

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });

const errorShape = ajv.compile({
  type: 'object',
  required: ['error', 'code', 'requestId'],
  additionalProperties: false,
  properties: {
    error: { type: 'string', pattern: '^[^\\n]{5,}$' },
    code: { type: 'string', pattern: '^[A-Z0-9_]+$' },
    requestId: { type: 'string' },
    details: { type: 'array', items: { type: 'object', required: ['path', 'message'] } },
  },
});

/** Finds how an answer violates its route's declaration; `undefined` when it does not. */
export function undeclared(route: Route, reply: Reply): string | undefined {
  if (reply.status >= 500) return `${reply.status} ${reply.text}`;
  if (reply.status >= 400) {
    const page = reply.headers.get('content-type')?.startsWith('text/html');
    const declared = route.answers[reply.status]?.schema;
    if (declared && ajv.compile(declared)(reply.body)) return undefined;
    return page || errorShape(reply.body) ? undefined : `no error of ours: ${reply.text}`;
  }
  const answer = route.answers[reply.status];
  if (!answer) return `${reply.status} is not declared`;
  const isFile = reply.headers.has('content-disposition');
  if (!answer.schema || answer.contentType || isFile) return undefined;
  const valid = ajv.compile(answer.schema);
  return valid(reply.body) ? undefined : ajv.errorsText(valid.errors);
}
