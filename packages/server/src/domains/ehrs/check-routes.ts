import { Type } from 'typebox';
import { type Route, route } from '../../api/route.ts';
import { optionalText, textOf } from '../../api/shapes.ts';
import { overloaded } from '../../base/problem.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Ehrs } from './ehrs.ts';
import { checkConnection, checkMs } from './fhir-server/check-connection.ts';
import { openServer } from './fhir-server/open-server.ts';
import { ehrParam, locateEhr } from './routes.ts';

const resultShape = Type.Object(
  {
    works: Type.Boolean({ description: 'True when all steps work: a sync can begin' }),
    checks: Type.Array(
      Type.Object({
        name: Type.String({
          enum: ['capabilities', 'patients'],
          description: '`capabilities`: sign-in and /metadata; `patients`: a search for one patient',
        }),
        works: Type.Boolean({ description: 'False: the step failed, and later ones were not tried' }),
        message: textOf('Outcome of the step in one sentence'),
        code: optionalText('Code of the failure, as of a sync'),
        remedy: optionalText('Remedy of the failure'),
      }),
      { description: 'Steps in their order' },
    ),
  },
  { title: 'EhrCheck' },
);

interface CheckRouteDeps {
  ehrs: Ehrs;
  outbound: Outbound;
  secrets: Secrets;
}

/** Tests that run at once in a process: each holds a connection to a system that may be slow. */
const checksMax = 4;
const once = { attemptsMax: 1, waitMs: 0, waitAskedMaxMs: 0 };

/** Route that tests the connection to an EHR system. */
export function checkRoute(deps: CheckRouteDeps): Route {
  let running = 0;
  return route({
    method: 'POST',
    path: '/v1/ehrs/:ehrId/check',
    onlyReads: true,
    operation: 'ehrs.check',
    tag: 'EHR systems',
    summary: 'Test the connection to an EHR system',
    description:
      'Signs in, reads the capabilities and searches for one patient, as a sync would, within 20 seconds. Nothing is kept.',
    accountHeader: true,
    params: ehrParam,
    answers: { 200: { schema: resultShape, description: 'Outcome of each step, with remedies' } },
    locate: ({ params }) => locateEhr(deps.ehrs, params.ehrId),
    handle: async ({ resource: ehr, signal }) => {
      if (running >= checksMax) throw overloaded();
      running += 1;
      const timeout = AbortSignal.timeout(checkMs);
      const about = {
        ehr,
        latest: async () => ehr,
        signal: AbortSignal.any([signal, timeout]),
        onRequest: () => undefined,
      };
      try {
        const checks = await checkConnection(openServer(deps, once, about), timeout);
        return { works: checks.every(({ works }) => works), checks };
      } finally {
        running -= 1;
      }
    },
  });
}
