import type { Capabilities, SearchedType } from './capabilities.ts';

/** What of a search is left to do. JSON: a new run goes on from it. */
export interface SearchPosition {
  kind: 'search';
  /** Searched as a whole, the first one now. */
  types: SearchedType[];
  /** Searched patient by patient, afterwards. */
  patientTypes: SearchedType[];
  /** The page that comes next of the search that is under way; null: its first. */
  next: string | null;
  /** The walk over all patients; null: not begun. */
  walk: Walk | null;
  /** Types that it gave of some patient. */
  given?: string[];
  /** How many patients' searches of a type were refused one after the other. */
  refused?: Record<string, number>;
}

interface Walk {
  /** Patients of the present page that are left; the first one now. */
  patients: string[];
  /** Types that are left for the first of them. */
  types: SearchedType[];
  /** The page of patients that comes next; null: there is none. */
  nextPatients: string | null;
}

/** What to ask for next. */
export interface Step {
  /** Absolute, or below the base. */
  url: string;
  /** `ids`: patients are only walked over. */
  of: 'type' | 'ids' | 'patient';
  type: SearchedType;
}

export interface PlanSettings {
  /** Resources of a page. */
  pageSize: number;
  /** Epoch milliseconds. */
  since: number | null;
}

/** Patients' searches of a type in a row that are refused before the others are spared the question: it gives the type of nobody. */
const neverGivenMax = 3;
/** The same of a type that it gave of somebody. More are no closed records but a right that was withdrawn, or a system that is overloaded. */
const refusedMax = 20;

/** Patient first: the others refer to it. */
export function beginSearch({ types }: Pick<Capabilities, 'types'>): SearchPosition {
  return {
    kind: 'search',
    types: types.filter(({ needsPatient }) => !needsPatient),
    patientTypes: types.filter(({ needsPatient }) => needsPatient),
    next: null,
    walk: null,
  };
}

/** The next request; undefined when all is done. */
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

/** What is left after the page that a step gave. */
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
 * What is left when the system refused the first page of a search: of a whole type patient by patient, where that is possible, else without it;
 * of one patient without that, or without the type when it gives it of nobody. `leftOut`: what will be missing. Undefined when it is no answer to go
 * on with.
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

/** What is left after the search of a type of one patient. */
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
  if (since !== null && type.byTime) query.set('_lastUpdated', `gt${new Date(since).toISOString()}`);
  return `${type.name}?${query}`;
}

/** All of them, whenever they changed: what is about them may have changed since. */
function patientIds({ pageSize }: PlanSettings): string {
  return `Patient?${new URLSearchParams({ _elements: 'id', _count: String(pageSize) })}`;
}
