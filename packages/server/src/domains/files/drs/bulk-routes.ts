import { type Static, Type } from 'typebox';
import { type InnerAnswer, type Route, type RouteContext, route } from '../../../api/route.ts';
import { countOf, textOf } from '../../../api/shapes.ts';
import { accessShape, described, drsErrors, drsRoot, objectShape, objectsMax } from './drs-shapes.ts';

const idShape = Type.String({ minLength: 1, maxLength: 512, description: 'Id of an object' });
const unresolvedShape = Type.Array(
  Type.Object({
    error_code: countOf('Status of the answer for these objects'),
    object_ids: Type.Array(Type.String(), { description: 'Ids of the objects' }),
  }),
  { description: 'Objects without an answer, by the reason' },
);
const summaryShape = Type.Object(
  {
    requested: countOf('Objects or addresses that were asked for'),
    resolved: countOf('Number with an answer'),
    unresolved: countOf('Number without an answer'),
  },
  { description: 'Numbers of objects or addresses' },
);
const resolvedAccess = Type.Object({
  ...accessShape.properties,
  drs_object_id: textOf('Id of the object'),
  drs_access_id: textOf('Id of the way to its bytes'),
});

type Perform = RouteContext<unknown, unknown, unknown, unknown>['perform'];

/** Routes that answer for many objects at once (DRS 1.4). Each object is asked for as alone, with its rights and audit event. */
export function bulkRoutes(): Route[] {
  return [objectsRoute(), accessesRoute()];
}

function objectsRoute(): Route {
  return route({
    ...described,
    method: 'POST',
    path: `${drsRoot}/objects`,
    operation: 'drs.readMany',
    onlyReads: true,
    summary: 'Get several files as objects',
    body: Type.Object({
      bulk_object_ids: Type.Array(idShape, { minItems: 1, maxItems: objectsMax, description: 'Ids' }),
    }),
    answers: {
      200: {
        schema: Type.Object({
          summary: summaryShape,
          unresolved_drs_objects: unresolvedShape,
          resolved_drs_object: Type.Array(objectShape, { description: 'The objects' }),
        }),
        description: 'Objects that the caller may read, and reasons for others',
      },
      ...drsErrors,
    },
    handle: async ({ body, perform }) => {
      const asked = body.bulk_object_ids.map((id) => ({ id, path: encodeURIComponent(id) }));
      const { resolved, ...about } = await answered(asked, perform);
      return { ...about, resolved_drs_object: resolved.map(({ body: object }) => object) };
    },
  });
}

function accessesRoute(): Route {
  return route({
    ...described,
    method: 'POST',
    path: `${drsRoot}/objects/access`,
    operation: 'drs.readMany',
    onlyReads: true,
    summary: 'List the addresses of the bytes of several objects',
    body: Type.Object({
      bulk_object_access_ids: Type.Array(
        Type.Object({
          bulk_object_id: idShape,
          bulk_access_ids: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
            minItems: 1,
            maxItems: 4,
            description: 'Ids of ways to the bytes',
          }),
        }),
        { minItems: 1, maxItems: objectsMax, description: 'Objects with their ways' },
      ),
    }),
    answers: {
      200: {
        schema: Type.Object({
          summary: summaryShape,
          unresolved_drs_objects: unresolvedShape,
          resolved_drs_object_access_urls: Type.Array(resolvedAccess, { description: 'The addresses' }),
        }),
        description: 'Addresses that the caller may have, and reasons for others',
      },
      ...drsErrors,
    },
    handle: async ({ body, perform }) => {
      const asked = body.bulk_object_access_ids.flatMap(({ bulk_object_id: id, bulk_access_ids: ways }) =>
        ways.map((way) => ({ id, way, path: `${encodeURIComponent(id)}/access/${encodeURIComponent(way)}` })),
      );
      const { resolved, ...about } = await answered(asked, perform);
      const urls = resolved.map(({ one: { id, way }, body: access }) => ({
        ...(access as Static<typeof accessShape>),
        ...{ drs_object_id: id, drs_access_id: way },
      }));
      return { ...about, resolved_drs_object_access_urls: urls };
    },
  });
}

/** Asks for objects one after the other, and groups those without an answer by its status. */
async function answered<Asked extends { id: string; path: string }>(asked: Asked[], perform: Perform) {
  const resolved: { one: Asked; body: InnerAnswer['body'] }[] = [];
  const refused = new Map<number, Set<string>>();
  let unresolved = 0;
  for (const one of asked) {
    const request = { operation: 'files.read', method: 'GET', mayChange: false } as const;
    const { status, body } = await perform({ ...request, url: `${drsRoot}/objects/${one.path}` });
    if (status === 200) resolved.push({ one, body });
    else {
      refused.set(status, (refused.get(status) ?? new Set()).add(one.id));
      unresolved += 1;
    }
  }
  return {
    resolved,
    summary: { requested: asked.length, resolved: resolved.length, unresolved },
    unresolved_drs_objects: [...refused].map(([error_code, ids]) => ({ error_code, object_ids: [...ids] })),
  };
}
