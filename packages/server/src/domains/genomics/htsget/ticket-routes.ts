import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { Answer, type Located, type Route, type RouteContext, route, type Wait } from '../../../api/route.ts';
import { textOf } from '../../../api/shapes.ts';
import { invalidInput } from '../../../base/problem.ts';
import { type BlockUrls, versionOf } from './blocks/block-urls.ts';
import { contentTypeFor, htsgetErrors, htsgetProblem, standardType } from './problem.ts';
import {
  describedTicketQuery,
  readBody,
  readQuery,
  type TicketRequest,
  ticketBody,
  ticketQuery,
} from './request.ts';
import { ticketOf } from './ticket.ts';
import type { Kind, TicketSource } from './ticket-source.ts';

export const htsgetTag = 'Genomics: htsget';

export const htsgetParams = Type.Object({
  account: Type.String({ minLength: 1, maxLength: 255 }),
  id: Type.String({ minLength: 1, maxLength: 255 }),
});

const ticketShape = Type.Object(
  {
    htsget: Type.Object(
      {
        format: textOf('Format of the joined blocks: `BAM`, `CRAM`, `VCF` or `BCF`'),
        urls: Type.Array(
          Type.Object({
            url: Type.String({ description: 'Address of a block, or a data URI' }),
            class: Type.Union([Type.Literal('header'), Type.Literal('body')], {
              description: 'Part of the file that the block belongs to',
            }),
            headers: Type.Object({}, { description: 'Headers of the request for the block: none' }),
          }),
          { description: 'Blocks in order' },
        ),
      },
      { description: 'Ticket in the form of the standard' },
    ),
  },
  { title: 'HtsgetTicket' },
);

interface Wanted {
  source: TicketSource;
  request: TicketRequest;
}

/** Routes of GET and POST tickets of one kind: the addresses of the requested records. */
export function ticketRoutes(kind: Kind, urls: BlockUrls): Route[] {
  return [getRoute(kind, urls), postRoute(kind, urls)];
}

function blocksPath(kind: Kind, account: string, id: string): string {
  return `/${account}/v1/htsget/${kind.name}/${id}/blocks`;
}

const described = (kind: Kind) =>
  ({
    path: `/:account/v1/htsget/${kind.name}/:id`,
    operation: kind.operation,
    tag: htsgetTag,
    problemPage: htsgetProblem,
    crossOrigin: true,
    params: htsgetParams,
    answers: {
      200: {
        schema: ticketShape,
        description: `The blocks, concatenated in order, form a file`,
        alsoAs: standardType,
      },
      ...htsgetErrors,
    },
  }) as const;

function getRoute(kind: Kind, urls: BlockUrls): Route {
  return route({
    ...described(kind),
    method: 'GET',
    summary: `Get a ticket for ${kind.name}: all, or those that overlap a region (htsget)`,
    description:
      'A standard htsget endpoint: point samtools, bcftools or igv at it. Blocks may hold some records beyond the region.',
    query: ticketQuery,
    described: { query: describedTicketQuery },
    locate: ({ params, query }) => locate(kind, params, readQuery(query, kind)),
    handle: (context) => answer(kind, urls, context),
  });
}

function postRoute(kind: Kind, urls: BlockUrls): Route {
  return route({
    ...described(kind),
    method: 'POST',
    summary: `Get a ticket for the ${kind.name} that overlap any of several regions (htsget)`,
    onlyReads: true,
    body: ticketBody,
    locate: ({ params, body }) => locate(kind, params, readBody(body, kind)),
    handle: async (context) => {
      if (context.url.includes('?')) {
        throw invalidInput([
          { path: 'query', message: 'does not go with POST: put everything into the body' },
        ]);
      }
      return answer(kind, urls, context);
    },
  });
}

async function locate(
  kind: Kind,
  { account, id }: { account: string; id: string },
  request: TicketRequest,
): Promise<Located<Wanted> | undefined> {
  const source = await kind.find(account, id, request.format);
  return source && { attributes: source.attributes, record: { source, request } };
}

interface TicketContext {
  resource: Wanted;
  params: { account: string; id: string };
  caller: Caller;
  headers: RouteContext<undefined, undefined, undefined, Wanted>['headers'];
  signal: AbortSignal;
  wait: Wait;
}

async function answer(kind: Kind, urls: BlockUrls, context: TicketContext): Promise<Answer> {
  const { source: found, request } = context.resource;
  const source = (await found.inBlocks?.(context)) ?? found;
  const { account } = context.params;
  const target = {
    path: blocksPath(kind, account, source.id),
    version: versionOf(source.blob()),
    holder: context.caller,
  };
  const ticket = await ticketOf(source, request, {
    ...{ urls, target },
    ...{ signal: context.signal, wait: context.wait },
  });
  return new Answer(200, ticket, { 'content-type': contentTypeFor(context.headers) });
}
