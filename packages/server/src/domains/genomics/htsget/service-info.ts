import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { serviceInfoFields, textOf } from '../../../api/shapes.ts';
import { version } from '../../../base/version.ts';
import { htsgetErrors, htsgetProblem } from './problem.ts';
import { htsgetTag } from './ticket-routes.ts';
import type { Kind } from './ticket-source.ts';

const infoShape = Type.Object(
  {
    ...serviceInfoFields,
    htsget: Type.Object(
      {
        datatype: textOf('Kind of the records: `reads` or `variants`'),
        formats: Type.Array(Type.String(), { description: 'Formats of the blocks' }),
        fieldsParameterEffective: Type.Boolean({ description: '`false`: all fields are returned' }),
        tagsParametersEffective: Type.Boolean({ description: '`false`: all tags are returned' }),
      },
      { description: 'Capabilities of the endpoint' },
    ),
  },
  { title: 'HtsgetServiceInfo' },
);

/** Describes the capabilities of this endpoint (GA4GH service-info). */
export function serviceInfoRoute(kind: Kind, publicUrl: () => string): Route {
  return route({
    method: 'GET',
    path: `/:account/v1/htsget/${kind.name}/service-info`,
    operation: 'htsget.serviceInfo',
    tag: htsgetTag,
    problemPage: htsgetProblem,
    crossOrigin: true,
    summary: `Get the capabilities of the htsget endpoint for ${kind.name}`,
    params: Type.Object({ account: Type.String({ minLength: 1, maxLength: 255 }) }),
    answers: {
      200: { schema: infoShape, description: 'As GA4GH service-info and htsget describe it' },
      ...htsgetErrors,
    },
    handle: async () => {
      const url = publicUrl();
      // Reversed host name, as in package names: unique without registration.
      const host = new URL(url).hostname.split('.').toReversed().join('.');
      return {
        id: `${host}.htsget.${kind.name}`,
        name: `htsget ${kind.name}`,
        description: `${kind.formats.join(' and ')} records by region, from the projects of an account`,
        version,
        organization: { name: 'Ploidy', url },
        type: { group: 'org.ga4gh', artifact: 'htsget', version: '1.3.0' },
        htsget: {
          datatype: kind.name,
          formats: [...kind.formats],
          fieldsParameterEffective: false,
          tagsParametersEffective: false,
        },
      };
    },
  });
}
