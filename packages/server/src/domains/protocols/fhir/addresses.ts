import { Type } from 'typebox';
import { Answer, type Located } from '../../../api/route.ts';
import { Problem } from '../../../base/problem.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { locateTables } from '../../lake/index.ts';
import type { FhirApi } from './fhir-api.ts';
import { fhirErrors, fhirHeaders, fhirProblem, fhirType } from './outcome.ts';
import type { Pairs } from './search.ts';

/** Services of the routes of the interface. */
export interface FhirRouteDeps {
  api: FhirApi;
  projects: Projects;
  publicUrl: () => string;
  /** Time of the start, as text: the capabilities are those of the program. */
  startedAt: string;
}

const tag = 'FHIR';
/** Path of the FHIR interface of a project. */
export const fhirRoot = '/:account/v1/fhir/:project';

/** Parameters of `fhirRoot`. */
export const inProject = {
  account: Type.String({ minLength: 1, maxLength: 255 }),
  project: Type.String({ minLength: 1, maxLength: 255, description: 'Id of the project' }),
};
/** Parameter of a path: a type. */
export const typeParam = {
  type: Type.String({ maxLength: 64, pattern: '^[A-Z][A-Za-z]+$', description: 'FHIR type' }),
};
/** Parameter of a path: an id. */
export const idParam = {
  id: Type.String({ maxLength: 255, pattern: '^[A-Za-z0-9_.:-]+$', description: 'Id of the resource' }),
};

const resource = Type.Object({}, { additionalProperties: true, title: 'FhirResource' });
/** Declares an answer with a resource, and the errors of every route. */
export const answerOf = (description: string, etag = false) => ({
  200: { schema: resource, description, contentType: fhirType, etag },
  ...fhirErrors,
});
/** Declares what is equal for all routes of the interface. */
export const described = {
  tag,
  problemPage: fhirProblem,
  problemsBelow: fhirRoot,
  crossOrigin: true,
  smart: true,
} as const;

/** Answers with the text of a Bundle. */
export const found = (text: string): Answer => new Answer(200, text, fhirHeaders);

/** Locates the resources of a project of the account. */
export async function locate(
  projects: Projects,
  { account, project }: { account: string; project: string },
): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateTables(projects, project);
  return located?.record.account === account ? located : undefined;
}

/** Lists the parameters of an address, in its order. */
export const pairsIn = (url: string): Pairs => {
  const start = url.indexOf('?');
  return start < 0 ? [] : [...new URLSearchParams(url.slice(start + 1))];
};

/** Refuses requests for other formats than JSON. `_format` counts before `Accept`. */
export function requireJson(headers: Record<string, string | string[] | undefined>, pairs: Pairs): void {
  const asked = pairs.find(([name]) => name === '_format')?.[1] ?? String(headers['accept'] ?? '*/*');
  const isOther = !/json|\*/.test(asked.toLowerCase()) && asked !== '';
  const version = /fhirVersion=([\d.]+)/.exec(asked)?.[1];
  if (isOther || (version !== undefined && version !== '4.0'))
    throw new Problem(
      406,
      'NOT_ACCEPTABLE',
      'Ask for application/fhir+json, FHIR 4.0: there is no other format.',
    );
}
