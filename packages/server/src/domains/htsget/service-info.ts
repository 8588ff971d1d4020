import { type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { htsgetErrors, htsgetProblem } from './problem.ts';
import type { Kind } from './streamed.ts';
import { htsgetTag } from './ticket-routes.ts';

const infoShape = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  version: Type.String(),
  organization: Type.Object({ name: Type.String(), url: Type.String() }),
  type: Type.Object({ group: Type.String(), artifact: Type.String(), version: Type.String() }),
  htsget: Type.Object({
    datatype: Type.String(),
    formats: Type.Array(Type.String()),
    fieldsParameterEffective: Type.Boolean(),
    tagsParametersEffective: Type.Boolean(),
  }),
});

/** What this endpoint can do (GA4GH service-info). */
export function serviceInfoRoute(kind: Kind, publicUrl: () => string): Route {
  return route({
    method: 'GET',
    path: `/:account/v1/htsget/${kind.name}/service-info`,
    operation: 'htsget.serviceInfo',
    tag: htsgetTag,
    problemPage: htsgetProblem,
    crossOrigin: true,
    summary: `What the htsget endpoint for ${kind.name} can do`,
    params: Type.Object({ account: Type.String({ minLength: 1, maxLength: 255 }) }),
    answers: {
      200: { schema: infoShape, description: 'As GA4GH service-info and htsget describe it' },
      ...htsgetErrors,
    },
    handle: async () => {
      const url = publicUrl();
      // Names in the manner of packages, the host first: unique among services without asking anybody.
      const host = new URL(url).hostname.split('.').toReversed().join('.');
      return {
        id: `${host}.htsget.${kind.name}`,
        name: `htsget ${kind.name}`,
        description: `${kind.format} records by region, from the projects of an account`,
        version: '1.0.0',
        organization: { name: 'Ploidy', url },
        type: { group: 'org.ga4gh', artifact: 'htsget', version: '1.3.0' },
        htsget: {
          datatype: kind.name,
          formats: [kind.format],
          fieldsParameterEffective: false,
          tagsParametersEffective: false,
        },
      };
    },
  });
}
