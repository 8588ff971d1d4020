/** Traces of a service, as a collector of OpenTelemetry receives them. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { call } from '../support/app.ts';
import { startServer } from '../support/server.ts';
import { until } from '../support/until.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

test('a request, its job and its statement are one trace, which goes on with that of the caller', async (context) => {
  const spans: Span[] = [];
  const keys: unknown[] = [];
  const collector = createServer(async (request, response) => {
    keys.push(request.headers['api-key']);
    // biome-ignore lint/suspicious/noExplicitAny: the form of OTLP is asserted below
    const body = (await json(request)) as any;
    spans.push(...body.resourceSpans[0].scopeSpans[0].spans);
    response.end('{}');
  });
  collector.listen(0, '127.0.0.1');
  await once(collector, 'listening');
  context.after(() => void collector.close());
  const { port } = collector.address() as AddressInfo;
  const settings = {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20ours',
  };
  const server = await startServer({ settings });
  context.after(() => server.stop());
  const { apiKey: key, account } = server;
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const ask = (method: string, path: string, options: object = {}) =>
    call(server.baseUrl, method, path, { key, account, ...options });
  const project = await TestProject.make(ask, 'Traced');
  const started = await ask('POST', '/v1/analytics/data-lake/query', {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
    body: { datasetId: project.id, query: "SELECT 'of Jane' AS name", outputFileName: 'x.csv' },
  });
  assert.equal(started.status, 200, started.text);
  const named = (name: string): Span | undefined =>
    spans.find((span) => span.name === name && span.traceId === traceId);
  await until(() => named('lake.run') !== undefined, 'the trace has arrived');
  const request = named('POST /v1/analytics/data-lake/query');
  assert.equal(request?.parentSpanId, 'b7ad6b7169203331');
  assert.equal(named('lake.run')?.parentSpanId, request?.spanId);
  assert.equal(named('engine.query')?.parentSpanId, named('lake.run')?.spanId);
  assert.ok(keys.every((one) => one === 'of ours'));
  assert.doesNotMatch(JSON.stringify(spans), /Jane/);
});
