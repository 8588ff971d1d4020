import { timestamp } from '../../../base/ids.ts';
import type { Capabilities, SearchedType } from '../fhir-server/capabilities.ts';
import { EhrError } from '../fhir-server/ehr-error.ts';

/** Remaining work of a search, stored as JSON for later runs. */
export interface SearchPosition {
  kind: 'search';
  /** Types searched as a whole; the first one is in progress. */
  types: SearchedType[];
  /** Types searched patient by patient, afterwards. */
  patientTypes: SearchedType[];
  /** Next page of the present search; null: its first. */
  next: string | null;
  /** Walk over all patients; null if not begun. */
  walk: Walk | null;
  /** Types with results for some patient. */
  given?: string[];
  /** Number of consecutive patients for whom a type was refused. */
  refused?: Record<string, number>;
  /** Number of times that the search of a type began again. */
  restarted?: Record<string, number>;
}

interface Walk {
  /** Remaining patients of the present page; the first one is in progress. */
  patients: string[];
  /** Remaining types of the first patient. */
  types: SearchedType[];
  /** Next page of patients; null if there is none. */
  nextPatients: string | null;
}

/** Next request. */
export interface Step {
  /** Absolute, or below the base. */
  url: string;
  /** `ids`: patients are listed only for their ids. */
  of: 'type' | 'ids' | 'patient';
  type: SearchedType;
}

interface PlanSettings {
  /** Resources per page. */
  pageSize: number;
  /** Epoch milliseconds. */
  since: number | null;
}

/** Consecutive refusals after which a type without any result is skipped for further patients. */
const neverGivenMax = 3;
/**
 * Consecutive refusals after which a type with results fails the sync: more are no closed records but a
 * withdrawn right or an overloaded system.
 */
const refusedMax = 20;

/** Starts with Patient: other types refer to it. */
export function beginSearch({ types }: Pick<Capabilities, 'types'>): SearchPosition {
  return {
    kind: 'search',
    types: types.filter(({ needsPatient }) => !needsPatient),
    patientTypes: types.filter(({ needsPatient }) => needsPatient),
    next: null,
    walk: null,
  };
}

/** Returns the next request; undefined if all is done. */
export function nextStep(position: SearchPosition, settings: PlanSettings): Step | undefined {
  const { types, patientTypes, next, walk } = position;
  const [type] = types;
  if (type) return { url: next ?? search(type, {}, settings), of: 'type', type };
  const [firstOfPatients] = patientTypes;
  if (!firstOfPatients) return undefined;
  if (!walk) return { url: patientIds(settings), of: 'ids', type: firstOfPatients };
  const [patient] = walk.patients;
  const [about] = walk.types;
  if (patient !== undefined && about) {
    const named = { [about.patientParameter ?? 'patient']: patient };
    return { url: next ?? search(about, named, settings), of: 'patient', type: about };
  }
  return walk.nextPatients === null
    ? undefined
    : { url: walk.nextPatients, of: 'ids', type: firstOfPatients };
}

/** Returns the remaining work after a page. */
export function afterPage(
  position: SearchPosition,
  step: Step,
  page: { next: string | null; patients: string[] },
): SearchPosition {
  if (step.of === 'ids') {
    const walk = { patients: page.patients, types: position.patientTypes, nextPatients: page.next };
    return { ...position, next: null, walk };
  }
  if (page.next !== null) return { ...position, next: page.next };
  if (step.of === 'type') return { ...position, types: position.types.slice(1), next: null };
  const { name } = step.type;
  const given = [...new Set([...(position.given ?? []), name])];
  return afterPatient({ ...position, given, refused: { ...position.refused, [name]: 0 } });
}

/**
 * Returns the remaining work after a refused first page. A whole type is then searched patient by patient if
 * possible, else skipped. A patient's type is skipped for this patient, or for all if it never had results.
 * `leftOut`: description of the missing data. Undefined if the refusal must fail the sync.
 */
export function afterRefusal(
  position: SearchPosition,
  { of, type }: Step,
): { position: SearchPosition; leftOut?: string } | undefined {
  const { name } = type;
  if (of === 'type') {
    const types = position.types.slice(1);
    if (type.patientParameter === undefined || name === 'Patient')
      return { position: { ...position, types }, leftOut: name };
    return { position: { ...position, types, patientTypes: [...position.patientTypes, type] } };
  }
  const count = (position.refused?.[name] ?? 0) + 1;
  const wasGiven = position.given?.includes(name) === true;
  if (wasGiven && count >= refusedMax) return undefined;
  const refused = { ...position.refused, [name]: count };
  const isGiven = wasGiven || count < neverGivenMax;
  const patientTypes = isGiven
    ? position.patientTypes
    : position.patientTypes.filter((other) => other.name !== name);
  const leftOut = isGiven ? `${name} of one patient` : `${name} of all other patients`;
  return { position: afterPatient({ ...position, patientTypes, refused }), leftOut };
}

/** Searches of a type that begin again, before the sync fails. */
const restartsMax = 3;

/**
 * Returns the remaining work after a page that is gone: systems forget searches (RFC 9110 §15.5.11), of which the first page can be
 * asked for again. Undefined if it is no page that follows another, or if this has been tried often enough.
 */
export function afterGone(
  position: SearchPosition,
  { of, type }: Step,
  error: unknown,
): SearchPosition | undefined {
  if (!(error instanceof EhrError) || error.status !== 410) return undefined;
  const isFirst = of === 'ids' ? !position.walk : position.next === null;
  const count = (position.restarted?.[type.name] ?? 0) + 1;
  if (isFirst || count > restartsMax) return undefined;
  const restarted = { ...position.restarted, [type.name]: count };
  return { ...position, next: null, restarted, ...(of === 'ids' && { walk: null }) };
}

/** Returns the remaining work after one type of one patient. */
function afterPatient(position: SearchPosition): SearchPosition {
  const { walk, patientTypes } = position;
  if (!walk) return position;
  const types = walk.types.slice(1);
  const done = types.length === 0;
  return {
    ...position,
    next: null,
    walk: {
      ...walk,
      patients: done ? walk.patients.slice(1) : walk.patients,
      types: done ? patientTypes : types,
    },
  };
}

function search(
  type: SearchedType,
  named: Record<string, string>,
  { pageSize, since }: PlanSettings,
): string {
  const query = new URLSearchParams({ ...named, _count: String(pageSize) });
  if (since !== null && type.byTime) query.set('_lastUpdated', `gt${timestamp(since)}`);
  return `${type.name}?${query}`;
}

/** Lists all patients, whenever changed: their data may have changed since. */
function patientIds({ pageSize }: PlanSettings): string {
  return `Patient?${new URLSearchParams({ _elements: 'id', _count: String(pageSize) })}`;
}
