import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { securitySchemes } from './security-schemes.ts';
import { withSharedSchemas } from './shared-schemas.ts';
import { updateMethod } from './update-method.ts';

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40"><text x="0" y="28" font-family="system-ui, sans-serif" font-size="24" font-weight="600" fill="#fff">Ploidy</text></svg>';

/**
 * What the page may load: its own files, and pictures in its style sheet. The policy of the library asks for https, under which
 * the page stays empty where the service is reached by http.
 */
const pagePolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

/** The API document (OpenAPI 3.1), made from the schemas that validate, and the page that shows it under `/docs`. */
export async function addDocumentation(app: FastifyInstance, withPage: boolean): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ploidy',
        version: '1.0.0',
        description:
          'Self-hosted precision-health data service: files, ingestion, SQL over clinical and omic tables.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes,
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: withDocumented(schema, route.config?.documented),
      url,
    }),
    transformObject: (described) =>
      'openapiObject' in described
        ? plain(withSharedSchemas(withOptionalBodies(withUpdateBeside(described.openapiObject))))
        : described.swaggerObject,
  });
  if (!withPage) return;
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    uiConfig: { docExpansion: 'list', deepLinking: true, tryItOutEnabled: true },
    initOAuth: { usePkceWithAuthorizationCodeGrant: true },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: '/docs/', target: '_self' },
    theme: { title: 'Ploidy API' },
  });
  // Whoever opens the address that a start prints shall find something.
  app.get('/', { schema: { hide: true } }, (_, reply) => reply.redirect('/docs'));
}

/** Without what is no data: schemas bear functions of their library, over which YAML stumbles, each time anew. */
function plain<D extends object>(document: D): D {
  return JSON.parse(JSON.stringify(document));
}

/** Paths of OpenAPI 3.1 (§4.8.9) know no method UPDATE: its operations stand beside the others in an extension. */
function withUpdateBeside<D extends { paths?: Record<string, object | undefined> }>(document: D): D {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods = {}]) => {
    const { [updateMethod.toLowerCase()]: update, ...others } = methods as Record<string, unknown>;
    return [path, update === undefined ? others : { ...others, 'x-update': update }];
  });
  return { ...document, paths: Object.fromEntries(paths) };
}

interface DescribedBody {
  required?: boolean;
  content?: Record<string, { schema?: { required?: unknown[]; minProperties?: number } }>;
}

/** A body of which no field is needed may be left out; the framework asks for every one. Bytes are needed. */
function withOptionalBodies<D extends { paths?: Record<string, object | undefined> }>(document: D): D {
  for (const methods of Object.values(document.paths ?? {}))
    for (const { requestBody: body } of Object.values<{ requestBody?: DescribedBody }>(Object(methods))) {
      const contents = Object.entries(body?.content ?? {});
      const isNeeded = contents.some(
        ([type, { schema }]) =>
          type === '*/*' || (schema?.required?.length ?? 0) > 0 || (schema?.minProperties ?? 0) > 0,
      );
      if (body && !isNeeded) delete body.required;
    }
  return document;
}

/** What is validated elsewhere is no part of a route's schema; readers of the document are told of it. */
function withDocumented<S extends object>(schema: S, documented: object | undefined): S {
  return documented ? { ...schema, ...documented } : schema;
}
