/** Requests whose answers a later version must still give: every reading route, and statements on the sample project. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { demoSql } from '../../../samples/expected.ts';
import type { Request } from '../../isolation/cases.ts';
import { asked } from '../../isolation/catalogue.ts';
import type { Scenario, Sender } from './scenario.ts';

export interface Question extends Request {
  method: string;
  sender: string;
}

export interface Answer {
  status: number;
  /** JSON of an answer, its code when it is an error, or the digest of other bytes. */
  body: unknown;
}

export type Answered = Question & { answer: Answer };

/** Placeholder in a list for an element that differs from request to request. */
const any = { $any: true };

const statements = [
  demoSql,
  'SELECT count(*) AS n FROM patient',
  'SELECT patient_id, dob FROM patient ORDER BY 1',
  'SELECT code, count(*) AS n FROM observation GROUP BY 1 ORDER BY 1',
  'SELECT code, display, count(*) AS n FROM condition GROUP BY 1, 2 ORDER BY 1, 2',
  'SELECT gene, clinical_significance, count(*) AS n FROM variant GROUP BY 1, 2 ORDER BY 1, 2',
  'SELECT sample_id, chromosome, count(*) AS n FROM variant GROUP BY 1, 2 ORDER BY 1, 2',
  'SELECT sample_id, gene, copy_number FROM copynumber ORDER BY 1, 2, 3',
  'SELECT gene1, gene2, count(*) AS n FROM fusion GROUP BY 1, 2 ORDER BY 1, 2',
  'SELECT id, patient_id FROM sequence ORDER BY 1, 2',
  'SELECT patient_id, volume, note FROM biobank ORDER BY 1, 2',
  'SELECT count(*) AS n FROM variant_call',
];

/** Reading routes that begin work, or read things of minutes or outside of backups. Lists of effects and of the newest work change. */
const passing = new Set([
  'GET /v1/projects/:id/fhir/$export',
  'GET /v1/audit-events',
  'GET /v1/activity',
  // The state and commit of the present build.
  'GET /v1/health',
  'GET /v1/statement/executing/:id/:token',
  'GET /v1/query/:id',
  'GET /v1/uploads/:id/parts/:number',
]);
const isOpen = (needs: unknown): boolean => needs === 'public' || needs === 'signature';

export function questionsOf({ senders, household, samples, paths }: Scenario): Question[] {
  const requests: (Request & { method: string })[] = [];
  for (const { name, route, needs, case: one } of asked) {
    const reads = route.method === 'GET' ? !passing.has(name) : route.path.endsWith('/search');
    if (!reads || isOpen(needs)) continue;
    for (const ask of [one.ask, ...(one.further ?? [])])
      requests.push({ method: route.method, ...ask(household.ids) });
  }
  for (const path of paths) requests.push({ method: 'GET', path });
  for (const query of statements)
    requests.push({
      method: 'POST',
      path: '/v1/analytics/data-lake/rows',
      body: { datasetId: samples.id, query },
    });
  return Object.keys(senders).flatMap((sender) => requests.map((request) => ({ ...request, sender })));
}

/** Asks a question of the service at an address. */
export async function ask(
  address: string,
  sender: Sender,
  { method, path, body, headers }: Request & { method: string },
): Promise<Answer> {
  const { key, account } = sender;
  const response = await fetch(`${address}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== undefined && { authorization: key }),
      ...(account !== undefined && { 'service-account': account }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const { status } = response;
  if (!isJson) return { status, body: createHash('sha256').update(bytes).digest('hex') };
  const json = JSON.parse(bytes.toString());
  return { status, body: status < 400 ? json : (json.code ?? null) };
}

/** Asks all questions, in their order. */
export async function askAll(
  address: string,
  senders: Record<string, Sender>,
  questions: readonly Question[],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const question of questions)
    answers.push(await ask(address, senders[question.sender] ?? {}, question));
  return answers;
}

/** Returns what two answers to the same question have in common; `undefined` when it is nothing. */
export function common(a: unknown, b: unknown): unknown {
  if (isDeepStrictEqual(a, b)) return a;
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.map((one, at) => common(one, b[at]) ?? any);
  if (!isObject(a) || !isObject(b)) return undefined;
  const kept = Object.keys(a).map((name) => [name, common(a[name], b[name])] as const);
  return Object.fromEntries(kept.filter(([, value]) => value !== undefined));
}

/** Returns an expected answer without the prose of the service: descriptions of its tables and columns may be reworded. */
export function withoutProse({ path }: Request, answer: unknown): unknown {
  if (!path.startsWith('/v1/analytics/data-lake/schema')) return answer;
  return JSON.parse(JSON.stringify(answer, (name, value) => (name === 'description' ? undefined : value)));
}

/**
 * Finds where an answer lacks something of the expected one: as `path: sentence`. Fields may be added to objects, and objects to lists of
 * objects; rows and other lists stay as they are.
 */
export function lacks(expected: unknown, actual: unknown, path = ''): string[] {
  if (isDeepStrictEqual(expected, any)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) return lacksItems(expected, actual, path);
  if (isObject(expected) && isObject(actual))
    return Object.keys(expected).flatMap((name) => lacks(expected[name], actual[name], `${path}/${name}`));
  if (isDeepStrictEqual(expected, actual)) return [];
  return [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}

function lacksItems(expected: unknown[], actual: unknown[], path: string): string[] {
  if (!expected.every(isObject) || actual.length === expected.length) {
    const length = lacks(expected.length, actual.length, `${path}/length`);
    return [...length, ...expected.flatMap((one, at) => lacks(one, actual[at], `${path}/${at}`))];
  }
  let next = 0;
  return expected.flatMap((one, at) => {
    const found = actual.findIndex((other, place) => place >= next && lacks(one, other).length === 0);
    if (found < 0) return [`${path}/${at}: ${JSON.stringify(one)} is missing`];
    next = found + 1;
    return [];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
