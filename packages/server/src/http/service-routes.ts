import { Type } from 'typebox';
import { Answer, type Route, route } from '../api/route.ts';
import { timestampShape } from '../api/shapes.ts';
import { build, version } from '../base/version.ts';
import type { Metrics } from './metrics.ts';

const versionShape = Type.String({ description: 'Semantic version, such as `0.1.0`' });

const buildFields = {
  version: versionShape,
  commit: Type.Optional(Type.String({ description: 'Hash of its commit; absent when it is unknown' })),
  builtAt: Type.Optional(timestampShape),
};

/** Routes for operators: liveness, readiness, metrics. */
export function serviceRoutes(ready: () => Promise<void>, metrics: Metrics): Route[] {
  return [
    route({
      method: 'GET',
      path: '/healthz',
      operation: 'service.health',
      neverShed: true,
      tag: 'Service',
      summary: 'Check that the process lives',
      answers: {
        200: {
          schema: Type.Object({
            status: Type.Literal('ok', { description: 'The process is alive' }),
            version: versionShape,
          }),
          description: 'The process is alive',
        },
      },
      handle: async () => ({ status: 'ok', version }),
    }),
    route({
      method: 'GET',
      path: '/v1/version',
      operation: 'service.version',
      neverShed: true,
      tag: 'Service',
      summary: 'Get the version of the service',
      answers: {
        200: {
          schema: Type.Object(buildFields),
          description: 'The version that runs',
        },
      },
      handle: async () => build,
    }),
    route({
      method: 'GET',
      path: '/readyz',
      operation: 'service.ready',
      neverShed: true,
      tag: 'Service',
      summary: 'Check that records, blobs and engine answer',
      answers: {
        200: {
          schema: Type.Object({
            status: Type.Literal('ready', { description: 'All parts answer' }),
            ...buildFields,
          }),
          description: 'All answer',
        },
      },
      handle: async () => {
        await ready();
        return { status: 'ready', ...build };
      },
    }),
    route({
      method: 'GET',
      path: '/metrics',
      operation: 'service.metrics',
      neverShed: true,
      tag: 'Service',
      summary: 'Get counts and timings for Prometheus',
      answers: { 200: { schema: Type.String(), description: 'Prometheus text', contentType: 'text/plain' } },
      handle: async () => {
        const { contentType, body } = await metrics.text();
        return new Answer(200, body, { 'content-type': contentType });
      },
    }),
  ];
}
