import type { Pages } from '../../paging.ts';
import { Problem } from '../../problem.ts';
import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { accountParam } from './dataset-routes.ts';
import type { FoundReference, ReferenceSets } from './reference-sets.ts';

/** Bases of one answer; more come page by page. */
const basesMax = 1_000_000;

const params = Type.Object({
  ...accountParam.properties,
  referenceId: Type.String({ minLength: 1, maxLength: 255 }),
});

const asText = Type.String({ pattern: '^-?[0-9]{1,15}$', description: 'A whole number' });
const pageToken = Type.Optional(
  Type.Union([Type.String({ maxLength: 8192 }), Type.Null()], {
    description: '`nextPageToken` of the page before, with the same range',
  }),
);
const answers = {
  200: {
    schema: Type.Object({
      offset: Type.String({ description: 'Where these bases begin in the reference, from 0' }),
      sequence: Type.String({ description: 'In upper case' }),
      nextPageToken: Type.Optional(
        Type.String({ description: 'For the following bases; absent on the last page' }),
      ),
    }),
    description: `At most ${basesMax} bases`,
  },
};

interface BasesRouteParts {
  referenceSets: ReferenceSets;
  pages: Pages;
}

interface Asked {
  start?: string | number | null;
  end?: string | number | null;
  pageToken?: string | null;
}

/** /{account}/v1/references/{referenceId}/bases */
export function basesRoutes({ referenceSets, pages }: BasesRouteParts): Route[] {
  const about = {
    path: '/:account/v1/references/:referenceId/bases',
    operation: 'references.read',
    tag: 'Genomics',
    summary: 'Bases of a reference',
    description: 'Of `[start, end)`, from 0; absent: from its beginning, to its end.',
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
        start: Type.Optional(asText),
        end: Type.Optional(asText),
        pageToken: Type.Optional(Type.String({ maxLength: 8192 })),
      }),
      handle: ({ resource, query }) => answer(resource, query, 'query/pageToken'),
    }),
    route({
      ...about,
      method: 'POST',
      body: Type.Object({
        start: Type.Optional(Type.Union([Type.Integer(), asText, Type.Null()])),
        end: Type.Optional(Type.Union([Type.Integer(), asText, Type.Null()])),
        pageToken,
      }),
      handle: ({ resource, body }) => answer(resource, body, 'body/pageToken'),
    }),
  ];
}

/** The range that is asked for. Problem 416 when the reference has no such bases. */
function rangeOf({ reference: { length } }: FoundReference, asked: Asked): { start: number; end: number } {
  const start = Number(asked.start ?? 0);
  const end = Number(asked.end ?? length);
  const isAll = start === 0 && end === length;
  if (isAll || (start >= 0 && start < end && end <= length)) return { start, end };
  const message = `The reference has ${length} bases: ask for 0 ≤ start < end ≤ ${length}.`;
  throw new Problem(416, 'RANGE_NOT_SATISFIABLE', message, {
    headers: { 'content-range': `bases */${length}` },
  });
}
