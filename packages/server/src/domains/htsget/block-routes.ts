import { notFound } from '../../problem.ts';
import { Answer, bodyFor, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import type { Audit } from '../audit/index.ts';
import { type BlockUrls, versionOf } from './block-urls.ts';
import { htsgetErrors, htsgetProblem } from './problem.ts';
import type { Contents, Kind } from './streamed.ts';
import { pieceOf } from './stretch.ts';
import { htsgetParams, htsgetTag } from './ticket-routes.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

export interface BlockParts {
  contents: Contents;
  urls: BlockUrls;
  audit: Audit;
  projectExists: (id: string) => Promise<boolean>;
}

/** The bytes that tickets name. The address says who may: it is signed, and works while what it names is there. */
export function blocksRoute(kind: Kind, { contents, urls, audit, projectExists }: BlockParts): Route {
  return route({
    method: 'GET',
    path: `/:account/v1/htsget/${kind.name}/:id/blocks`,
    operation: 'htsget.blocks',
    tag: htsgetTag,
    problemPage: htsgetProblem,
    crossOrigin: true,
    summary: `Some blocks of ${kind.name} (the addresses of a ticket)`,
    description:
      'Needs no credentials, and may be repeated. Whole BGZF blocks: put together as the ticket says they are a file.',
    params: htsgetParams,
    query: Type.Object({
      of: text('Which bytes of the file'),
      user: text('Who asked for the ticket'),
      begin: text('Virtual offset of the first byte'),
      end: text('Virtual offset of the byte behind the last one'),
      from: text('Only blocks that begin here or later'),
      to: text('Only blocks that begin before'),
      expires: text('Epoch seconds'),
      signature: text('Over all of this'),
    }),
    answers: {
      200: { description: 'The blocks', contentType: 'application/octet-stream' },
      ...htsgetErrors,
    },
    handle: async ({ params, url, method, requestId }) => {
      const { version, userId, piece } = urls.read(url, Date.now());
      const streamed = await kind.find(params.account, params.id);
      const { dataset = '' } = streamed?.attributes ?? {};
      if (!streamed || !(await projectExists(dataset))) throw notFound();
      const blob = streamed.blob();
      // The file has other bytes now, and places in these mean nothing in those.
      if (versionOf(blob) !== version) throw notFound();
      const stretch = await pieceOf(contents.file(blob), piece);
      if (method === 'GET') {
        await audit.record({
          account: streamed.attributes.account,
          userId,
          via: 'signature',
          action: 'htsget.blocks',
          resource: streamed.attributes,
          outcome: 'done',
          requestId,
        });
      }
      const body = await bodyFor(method, () => stretch.open());
      return new Answer(200, body, {
        'content-type': 'application/octet-stream',
        'content-length': String(stretch.size),
        'content-disposition': 'attachment',
      });
    },
  });
}
