import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { tags } from '../../api/tags.ts';
import { version } from '../../base/version.ts';
import { updateMethod } from '../connection/update-method.ts';
import { completeOperations } from './complete-operations.ts';
import { securitySchemes } from './security-schemes.ts';
import { withSharedSchemas } from './shared-schemas.ts';

const logo =
  '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="40"><text x="0" y="28" font-family="system-ui, sans-serif" font-size="24" font-weight="600" fill="#fff">Ploidy</text></svg>';

/**
 * Content security policy of the page: its own files, and images in its style sheet. The policy of the library demands https, under
 * which the page stays empty over http.
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

/** Writers of the pages beside the API document, by their name under `/docs`. */
export type DocumentationPages = Readonly<Record<string, () => string>>;

/**
 * Adds the API document (OpenAPI 3.1), generated from the schemas that validate. It names the pages beside it;
 * `servePages` adds them.
 */
export async function addDocumentation(
  app: FastifyInstance,
  pages: readonly string[],
  path: string,
): Promise<void> {
  const links = pages.map((name) => `[${name}](${path}/docs/${name})`).join(', ');
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Ploidy',
        version,
        description: `Self-hosted precision-health data service: files, ingestion, SQL over clinical and omic tables. Reference pages: ${links}.`,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      // Paths are those of the service that serves the document.
      servers: [{ url: path || '/', description: 'The service itself' }],
      tags,
      components: { securitySchemes: securitySchemes(path) },
    },
    transform: ({ schema, url, route }) => ({
      schema: withDocumented(schema, route.config?.documented),
      url,
    }),
    transformObject: (described) =>
      'openapiObject' in described
        ? plain(
            withSharedSchemas(
              completeOperations(withOptionalBodies(withUpdateBeside(described.openapiObject))),
            ),
          )
        : described.swaggerObject,
  });
}

/** Serves the page of the API document under `/docs`, and the pages beside it. */
export async function servePages(
  app: FastifyInstance,
  pages: DocumentationPages,
  path: string,
): Promise<void> {
  for (const [name, write] of Object.entries(pages))
    app.get(`/docs/${name}`, { schema: { hide: true } }, (_, reply) =>
      reply.type('text/markdown; charset=utf-8').send(write()),
    );
  // Where import dialogs of other tools look for it.
  app.get('/openapi.json', { schema: { hide: true } }, (_, reply) => reply.redirect('/docs/json'));
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: pagePolicy,
    uiConfig: { docExpansion: 'list', deepLinking: true, tryItOutEnabled: true },
    initOAuth: { usePkceWithAuthorizationCodeGrant: true },
    logo: { type: 'image/svg+xml', content: Buffer.from(logo), href: `${path}/docs/`, target: '_self' },
    theme: { title: 'Ploidy API' },
  });
}

/** Drops everything but data: schemas carry functions of their library, which cannot be written as YAML. */
function plain<D extends object>(document: D): D {
  return JSON.parse(JSON.stringify(document));
}

/** Moves operations with the method UPDATE, which OpenAPI 3.1 (§4.8.9) does not have, into an extension. */
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

/** Marks bodies without required fields as optional; the framework marks all as required. */
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

/** Adds the parts of the document that handlers validate themselves. */
function withDocumented<S extends object>(schema: S, documented: object | undefined): S {
  return documented ? { ...schema, ...documented } : schema;
}
