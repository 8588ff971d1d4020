import type { IncomingHttpHeaders } from 'node:http';
import type { Segment } from '@ploidy/engine';
import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { Answer, bodyFor, type Route, route } from '../../../api/route.ts';
import { wholeNumber } from '../../../api/shapes.ts';
import { notFound } from '../../../base/problem.ts';
import type { Blobs } from '../../../platform/blobs/blobs.ts';
import type { TrinoStatementsTable } from '../../../platform/records/schema-lake.ts';
import type { AddressUses } from '../../audit/index.ts';
import type { SignedAddresses } from '../../identity/addresses/index.ts';
import { attributesOfTables } from '../../lake/index.ts';
import type { Answered } from './answered.ts';

/** Encoding of segments that the service has. */
export const encoding = 'json+zstd';
const purpose = 'GET rows';

/** Reports whether a client reads results in segments: drivers list their encodings, the best first. */
export function takesSegments(headers: IncomingHttpHeaders): boolean {
  const listed = headers['x-trino-query-data-encoding'] ?? '';
  return String(listed)
    .split(',')
    .some((one) => one.trim().toLowerCase() === encoding);
}

/** Signs the addresses of segments: drivers load them without the credentials of the statement. */
export class SegmentUrls {
  readonly #addresses: SignedAddresses;

  constructor(addresses: SignedAddresses) {
    this.#addresses = addresses;
  }

  /**
   * Describes a segment, the data of a page, as the spooled protocol does. A page has one: drivers show an error of a page with its name,
   * and one of a segment as a broken connection.
   */
  page(id: string, segments: readonly Segment[], number: number, holder: Pick<Caller, 'via'>): object {
    const before = segments.slice(0, number);
    const described = segments.slice(number, number + 1).map(({ size, rowCount, textSize }) => {
      const path = `/v1/statement/segments/${id}/${number}`;
      const metadata = {
        rowOffset: before.reduce((sum, one) => sum + one.rowCount, 0),
        ...{ rowsCount: rowCount, segmentSize: size, uncompressedSize: textSize },
      };
      const uri = this.#addresses.sign({ purpose, path, holder });
      const ackUri = this.#addresses.sign({ purpose, path, holder, parameters: { read: 'true' } });
      return { type: 'spooled', uri, ackUri, headers: {}, metadata };
    });
    return { encoding, metadata: {}, segments: described };
  }

  open(url: string) {
    return this.#addresses.open(purpose, url);
  }
}

interface SegmentRouteDeps {
  statements: { ended(id: string, caller: Caller): Promise<TrinoStatementsTable> };
  blobs: Blobs;
  uses: AddressUses;
  segmentUrls: SegmentUrls;
}

/** Serves a range of the file of a result. The signed address authorizes, as long as its result and its credential exist. */
export function segmentRoute({ statements, blobs, uses, segmentUrls }: SegmentRouteDeps): Route {
  const text = (description: string) => Type.Optional(Type.String({ description }));
  return route({
    method: 'GET',
    path: '/v1/statement/segments/:id/:number',
    operation: 'trino.segment',
    tag: 'Trino protocol',
    summary: 'Get a segment of the rows of a statement',
    description: 'Needs no credentials, and may be repeated. A zstd frame of a JSON array of rows.',
    params: Type.Object({
      id: Type.String({ minLength: 1, maxLength: 100, description: 'Id of the statement' }),
      number: wholeNumber('Place of the segment in the result'),
    }),
    query: Type.Object({
      by: text('Credential that read the page; the address ends with it'),
      read: text('The client has read the segment: an answer without bytes'),
      expires: text('Epoch seconds'),
      signature: text('Signature of all parameters'),
    }),
    answers: { 200: { description: 'The frame', contentType: 'application/octet-stream' } },
    handle: async ({ params, url, method, requestId }) => {
      const { caller, parameters } = await segmentUrls.open(url);
      const row = await statements.ended(params.id, caller);
      if (parameters['read'] !== undefined) return new Answer(200);
      const { segments = [] } = JSON.parse(row.answer ?? '{}') as Answered;
      const segment = segments[params.number];
      if (!segment || row.blob_key === null) throw notFound();
      if (method === 'GET')
        await uses.record({ by: caller, action: 'trino.segment', resource: resourceOf(row), requestId });
      const { offset: start, size } = segment;
      const key = row.blob_key;
      const body = await bodyFor(method, () => blobs.open(key, { start, end: start + size }));
      return new Answer(200, body, {
        'content-type': 'application/octet-stream',
        'content-length': String(size),
        'cache-control': 'no-store',
        'content-disposition': 'attachment',
      });
    },
  });
}

const resourceOf = ({ id, account_id, project_id }: TrinoStatementsTable) => ({
  ...attributesOfTables({ account_id: account_id ?? '', project_id: project_id ?? '' }),
  id,
});
