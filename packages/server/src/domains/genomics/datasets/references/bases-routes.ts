import { Type } from 'typebox';
import type { Pages } from '../../../../api/paging.ts';
import { type Route, route } from '../../../../api/route.ts';
import { idOf } from '../../../../api/shapes.ts';
import { Problem } from '../../../../base/problem.ts';
import { accountParam } from '../dataset-routes.ts';
import type { FoundReference, ReferenceSets } from './reference-sets.ts';

/** Maximum bases of one response; further pages have the rest. */
const basesMax = 1_000_000;

const params = Type.Object({
  ...accountParam.properties,
  referenceId: idOf('Id of the reference'),
});

const asText = { pattern: '^-?[0-9]{1,15}$' };
const exact = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };
const words = {
  start: 'First base, from 0; absent: from the beginning',
  end: 'End of the range, exclusive; absent: to the end',
};
const position = (description: string) =>
  Type.Optional(Type.Union([Type.Integer(exact), Type.String(asText), Type.Null()], { description }));
const pageToken = Type.Optional(
  Type.Union([Type.String({ maxLength: 8192 }), Type.Null()], {
    description: '`nextPageToken` of the page before, with the same range',
  }),
);
const answers = {
  200: {
    schema: Type.Object({
      offset: Type.String({ description: 'Offset of these bases in the reference, from 0' }),
      sequence: Type.String({ description: 'Upper-case bases' }),
      nextPageToken: Type.Optional(
        Type.String({ description: 'Token of the next page; absent on the last page' }),
      ),
    }),
    description: `At most ${basesMax} bases`,
  },
};

interface BasesRouteDeps {
  referenceSets: ReferenceSets;
  pages: Pages;
}

interface Asked {
  start?: string | number | null;
  end?: string | number | null;
  pageToken?: string | null;
}

/** Routes of /{account}/v1/references/{referenceId}/bases. */
export function basesRoutes({ referenceSets, pages }: BasesRouteDeps): Route[] {
  const about = {
    path: '/:account/v1/references/:referenceId/bases',
    operation: 'references.read',
    tag: 'Genomics',
    summary: 'Get the bases of a reference',
    description: 'Bases of `[start, end)`, counted from 0; absent: from the beginning, to the end.',
    params,
    answers,
    locate: ({ params }: { params: { account: string; referenceId: string } }) =>
      referenceSets.locateReference(params.account, params.referenceId),
  } as const;
  const answer = async (found: FoundReference, asked: Asked, tokenPath: string) => {
    const { start, end } = rangeOf(found, asked);
    const scope = JSON.stringify(['bases', found.reference.id, start, end]);
    const after = pages.position(asked.pageToken ?? undefined, scope, tokenPath);
    const from = after ? Number(after[0]) : start;
    const to = Math.min(end, from + basesMax);
    const sequence = await referenceSets.bases(found, from, to);
    return {
      offset: String(from),
      sequence,
      ...(to < end && { nextPageToken: pages.token([to], scope) }),
    };
  };
  return [
    route({
      ...about,
      method: 'GET',
      query: Type.Object({
        start: Type.Optional(Type.String({ ...asText, description: words.start })),
        end: Type.Optional(Type.String({ ...asText, description: words.end })),
        pageToken: Type.Optional(Type.String({ maxLength: 8192 })),
      }),
      handle: ({ resource, query }) => answer(resource, query, 'query/pageToken'),
    }),
    route({
      ...about,
      method: 'POST',
      body: Type.Object({
        start: position(words.start),
        end: position(words.end),
        pageToken,
      }),
      handle: ({ resource, body }) => answer(resource, body, 'body/pageToken'),
    }),
  ];
}

/** Returns the requested range. Problem 416 if the reference has no such bases. */
function rangeOf({ reference: { length } }: FoundReference, asked: Asked): { start: number; end: number } {
  const start = Number(asked.start ?? 0);
  const end = Number(asked.end ?? length);
  const isAll = start === 0 && end === length;
  if (isAll || (start >= 0 && start < end && end <= length)) return { start, end };
  const message = `The reference has ${length} bases. Request 0 ≤ start < end ≤ ${length}.`;
  throw new Problem(416, 'RANGE_NOT_SATISFIABLE', message, {
    headers: { 'content-range': `bases */${length}` },
  });
}
