import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { attributesOfNew } from '../../../access/resource.ts';
import { Answer, type Located, type Route, route } from '../../../api/route.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { described, fhirRoot, inProject, locate } from './addresses.ts';
import type { FiledIngestion, IncomingBundles, SentBundle } from './incoming.ts';
import { ingestionAnswer } from './ingestion-outcome.ts';
import { fhirErrors, fhirHeaders, fhirType, issueOf, outcomeShape, outcomeText } from './outcome.ts';

/** Services of the routes by which resources arrive. */
interface IncomingDeps {
  incoming: IncomingBundles;
  projects: Projects;
  publicUrl: () => string;
}

/** Tokens of SMART apps only read. */
const writing = { ...described, smart: false } as const;
const outcome = (description: string) => ({ schema: outcomeShape, description, contentType: fhirType });
const errors = { ...fhirErrors, 409: outcome('The state does not allow it') };
const params = Type.Object({
  ...inProject,
  id: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the ingestion' }),
});

/** Routes by which clients of FHIR send resources, and follow what becomes of them. */
export function incomingRoutes(deps: IncomingDeps): Route[] {
  return [postRoute(deps), stateRoute(deps), cancelRoute(deps)];
}

function postRoute({ incoming, projects, publicUrl }: IncomingDeps): Route {
  return route({
    ...writing,
    method: 'POST',
    path: fhirRoot,
    aliases: [`${fhirRoot}/`],
    operation: 'ingestions.create',
    conflicts: ['FILE_EXISTS'],
    summary: 'Ingest a Bundle, or resources in another form',
    description:
      'The bytes become a file of the project as they are. All or nothing; resources of known ids get a new version. NDJSON and gzip are taken as well.',
    headers: ['Content-MD5'],
    params: Type.Object(inProject),
    streamsBody: true,
    answers: {
      202: outcome('Queued; its state is at `Content-Location`'),
      ...errors,
      413: outcome('The file may not be as large'),
      415: outcome('Only JSON is ingested'),
      422: outcome('The Idempotency-Key was used for another body'),
    },
    locate: async (input, _account, caller) => locateNew(projects, input.params, caller),
    handle: async ({ resource: project, headers, stream, caller, requestId, signal }) => {
      const id = await incoming.take(project, sentIn(headers, stream), { caller, requestId, signal });
      const place = `${publicUrl()}/${project.account}/v1/fhir/${project.id}/$ingestion/${id}`;
      const text = 'The ingestion waits. Ask for its end at the address in Content-Location.';
      const issue = issueOf('information', 'informational', text);
      return new Answer(202, outcomeText([issue]), { ...fhirHeaders, 'content-location': place });
    },
  });
}

/** Locates the project, and asks for the rights to a new file and to its ingestion. */
async function locateNew(
  projects: Projects,
  named: { account: string; project: string },
  caller: Caller,
): Promise<Located<ProjectRecord> | undefined> {
  const record = (await locate(projects, named))?.record;
  if (!record) return undefined;
  return {
    record,
    attributes: attributesOfNew('ingestion', record, caller),
    also: [{ operation: 'files.create', attributes: attributesOfNew('file', record, caller) }],
  };
}

type Headers = Record<string, string | string[] | undefined>;

/** Reads what headers state of a body. Problem 400 without a body, 415 for one that is no JSON. */
function sentIn(headers: Headers, stream: SentBundle['stream']): SentBundle {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const contentType = one('content-type') ?? fhirType;
  const coding = one('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (!/^[\w.+-]+\/[\w.+-]*json\b/i.test(contentType) || !['identity', 'gzip'].includes(coding)) {
    const message = 'Send application/fhir+json or application/fhir+ndjson, plain or with gzip.';
    throw new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', message);
  }
  const size = one('content-length');
  if (size === '0' || (size === undefined && one('transfer-encoding') === undefined))
    throw invalidInput([{ path: 'body', message: 'must be a Bundle or a resource' }]);
  return {
    ...{ stream, contentType, size: size === undefined ? undefined : Number(size) },
    ...{ md5: one('content-md5'), idempotencyKey: one('idempotency-key') },
  };
}

function stateRoute({ incoming }: IncomingDeps): Route {
  return route({
    ...writing,
    method: 'GET',
    path: `${fhirRoot}/$ingestion/:id`,
    operation: 'ingestions.read',
    summary: 'Get the state of an ingestion of posted resources, or its result',
    params,
    answers: {
      200: outcome('Result: resources read, kept and left out'),
      202: outcome('Runs still; ask again after `Retry-After` seconds'),
      ...fhirErrors,
      422: outcome('Failed: nothing of it is visible'),
    },
    locate: (input, _account, caller) => locateIn(incoming, input.params, caller),
    handle: async ({ resource, caller }) =>
      ingestionAnswer(await incoming.ingestions.report(resource, caller)),
  });
}

function cancelRoute({ incoming }: IncomingDeps): Route {
  return route({
    ...writing,
    method: 'DELETE',
    path: `${fhirRoot}/$ingestion/:id`,
    operation: 'ingestions.cancel',
    conflicts: ['INGESTION_ENDED'],
    neverShed: true,
    summary: 'Cancel an ingestion of posted resources',
    params,
    answers: { 202: outcome('Cancelled; nothing of it is visible'), ...errors },
    locate: (input, _account, caller) => locateIn(incoming, input.params, caller, true),
    handle: async ({ resource, caller, requestId }) => {
      await incoming.ingestions.cancel(resource, { caller, requestId });
      const issue = issueOf('information', 'informational', 'Cancelled; nothing of it is visible.');
      return new Answer(202, outcomeText([issue]), fhirHeaders);
    },
  });
}

async function locateIn(
  { ingestions }: IncomingBundles,
  { account, project, id }: { account: string; project: string; id: string },
  caller: Caller,
  toCancel = false,
): Promise<Located<FiledIngestion> | undefined> {
  const located = await ingestions.locate(id, caller, toCancel);
  const isThere = located?.record.account_id === account && located.record.project_id === project;
  return isThere ? located : undefined;
}
