import { Type } from 'typebox';
import { Answer, bodyFor, type Route, route } from '../../../../api/route.ts';
import { notFound, Problem } from '../../../../base/problem.ts';
import type { AddressUses } from '../../../audit/index.ts';
import { htsgetErrors, htsgetProblem } from '../problem.ts';
import { htsgetParams, htsgetTag } from '../ticket-routes.ts';
import type { Kind } from '../ticket-source.ts';
import { type BlockUrls, versionOf } from './block-urls.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

interface BlockDeps {
  urls: BlockUrls;
  uses: AddressUses;
  projectExists: (id: string) => Promise<boolean>;
}

/** Serves the bytes of a ticket. The signed address authorizes, as long as its resource and its credential exist. */
export function blocksRoute(kind: Kind, { urls, uses, projectExists }: BlockDeps): Route {
  return route({
    method: 'GET',
    path: `/:account/v1/htsget/${kind.name}/:id/blocks`,
    operation: 'htsget.blocks',
    tag: htsgetTag,
    problemPage: htsgetProblem,
    crossOrigin: true,
    summary: `Get blocks of ${kind.name} (the addresses of a ticket)`,
    description:
      'Needs no credentials, and may be repeated. Whole BGZF blocks or containers of a CRAM: concatenated as in the ticket, they form a file.',
    params: htsgetParams,
    query: Type.Object({
      of: text('Version of the file’s bytes'),
      by: text('Credential that requested the ticket; the address ends with it'),
      begin: text('Virtual offset of the first byte'),
      end: text('Virtual offset after the last byte'),
      from: text('Only blocks that begin here or later'),
      to: text('Only blocks that begin before'),
      expires: text('Epoch seconds'),
      signature: text('Signature of all parameters'),
    }),
    answers: {
      200: { description: 'The blocks', contentType: 'application/octet-stream' },
      ...htsgetErrors,
    },
    handle: async ({ params, url, method, requestId }) => {
      const { version, caller, piece } = await urls.open(url);
      const source = await kind.find(params.account, params.id);
      const { dataset = '' } = source?.attributes ?? {};
      if (!source || !(await projectExists(dataset))) throw notFound();
      // An address does not outlive the right of the user who asked for it.
      if (!caller.may(kind.operation, source.attributes)) throw noLongerAllowed();
      const blob = source.blob();
      // The file has other bytes now: offsets into the old ones are meaningless.
      if (versionOf(blob) !== version) throw notFound();
      const stream = await source.piece(piece);
      if (method === 'GET') {
        await uses.record({ by: caller, action: 'htsget.blocks', resource: source.attributes, requestId });
      }
      const body = await bodyFor(method, () => stream.open());
      return new Answer(200, body, {
        'content-type': 'application/octet-stream',
        'content-length': String(stream.size),
        'content-disposition': 'attachment',
      });
    },
  });
}

function noLongerAllowed(): Problem {
  const message = 'The user who asked for this ticket may no longer read the file. Ask for a new ticket.';
  return new Problem(403, 'FORBIDDEN', message);
}
