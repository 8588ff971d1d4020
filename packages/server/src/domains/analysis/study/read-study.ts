import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { invalidInput, type ProblemDetail } from '../../../base/problem.ts';
import { cohortsNamed } from '../analytics/index.ts';
import { type Aggregate, aggregateShapes } from './aggregates.ts';
import { type Leaf, leafShapes, type Node, nodeLimits } from './node.ts';
import { faultsOf, type Moment, type Timed } from './timed/shapes.ts';

/** Part of the matching subjects that is counted by itself. */
export interface Group {
  id: string;
  filter: Node;
}

/** Validated request of a study. */
export interface StudyRequest {
  unit: 'sample' | 'patient';
  filter: Node;
  aggregates: Aggregate[];
  /** Groups in which everything is counted too. */
  groups?: Group[];
  /** `exclude`: subjects of several groups are in none. */
  overlap?: 'exclude' | 'include';
  /** Cohorts that the filter names. */
  cohortIds: string[];
}

/** Limit of the cohorts that a filter may name. */
const cohortsMax = 20;
const detailsMax = 100;

/** Parses the parts of a request. Problem 400 with the path of every error. */
export function readStudy(body: {
  unit?: 'sample' | 'patient' | undefined;
  filter?: unknown;
  aggregates?: readonly unknown[] | undefined;
  groups?: readonly { id: string; filter?: unknown }[] | undefined;
  overlap?: 'exclude' | 'include' | undefined;
}): StudyRequest {
  const reader = new StudyReader();
  const filter = reader.node(body.filter ?? { and: [] }, 'body/filter');
  const aggregates = (body.aggregates ?? []).flatMap(
    (one, at) => reader.aggregate(one, `body/aggregates/${at}`) ?? [],
  );
  reader.requireDistinct(aggregates, 'body/aggregates');
  const groups = (body.groups ?? []).map(
    (group, at): Group => ({ id: group.id, filter: reader.node(group.filter, `body/groups/${at}/filter`) }),
  );
  reader.requireDistinct(groups, 'body/groups');
  reader.throwIfAny();
  const { unit = 'sample', overlap = 'exclude' } = body;
  return { unit, filter, aggregates, groups, overlap, cohortIds: [...reader.cohorts] };
}

/** Parses the stored query of a cohort: `filter` and `unit`. Problem 400 with the path of every error. */
export function readStored(
  query: Readonly<Record<string, unknown>>,
  path: string,
): Pick<StudyRequest, 'unit' | 'filter'> {
  const reader = new StudyReader();
  const { unit = 'sample' } = query;
  const filter = reader.node(query['filter'], `${path}/filter`);
  reader.requireStorable(query, path);
  reader.throwIfAny();
  return { unit: unit === 'patient' ? 'patient' : 'sample', filter };
}

class StudyReader {
  readonly cohorts = new Set<string>();
  readonly #details: ProblemDetail[] = [];
  #nodes = 0;
  #ids = 0;

  /** Parses a node; an empty group in place of one with errors. */
  node(value: unknown, path: string, depth = 1): Node {
    this.#nodes += 1;
    if (this.#nodes > nodeLimits.nodesMax || depth > nodeLimits.depthMax) {
      if (this.#nodes === nodeLimits.nodesMax + 1)
        this.#add(path, `exceeds the maximum of ${nodeLimits.nodesMax} nodes`);
      if (depth > nodeLimits.depthMax) this.#add(path, `is nested more than ${nodeLimits.depthMax} deep`);
      return nothing;
    }
    if (!isObject(value)) return this.#refuse(path, 'must be an object');
    const kinds = nodeKinds.filter((kind) => Object.hasOwn(value, kind));
    const [kind, second] = kinds;
    if (kind === undefined || second !== undefined) {
      return this.#refuse(path, `must have exactly one of ${nodeKinds.join(', ')}`);
    }
    if (kind === 'and' || kind === 'or') return this.#group(kind, value, path, depth);
    if (kind === 'not') return this.#not(value, path, depth);
    return this.#leaf(kind, value, path);
  }

  aggregate(value: unknown, path: string): Aggregate | undefined {
    const kind = isObject(value)
      ? Object.keys(aggregateShapes).find((one) => one === value['kind'])
      : undefined;
    if (kind === undefined) {
      this.#add(`${path}/kind`, `must be one of ${Object.keys(aggregateShapes).join(', ')}`);
      return undefined;
    }
    const isValid = this.#validate(aggregateShapes[kind as keyof typeof aggregateShapes], value, path);
    if (!isValid) return undefined;
    const aggregate = value as Aggregate;
    if ('timed' in aggregate) this.#checkTimed(aggregate, path);
    return 'groups' in aggregate ? this.#grouped(aggregate, path) : aggregate;
  }

  /** Parses the filters of groups. */
  #grouped<A extends Extract<Aggregate, { groups: unknown }>>(aggregate: A, path: string): A {
    this.requireDistinct(aggregate.groups, `${path}/groups`);
    const groups = aggregate.groups.map(({ id, filter }, at) => ({
      id,
      filter: this.node(filter, `${path}/groups/${at}/filter`),
    }));
    return { ...aggregate, groups };
  }

  requireDistinct(aggregates: readonly { id: string }[], path: string): void {
    const ids = aggregates.map(({ id }) => id);
    const twice = ids.find((id, at) => ids.indexOf(id) !== at);
    if (twice !== undefined) this.#add(path, 'must have distinct ids');
  }

  /** Requires a query that depends on no other cohort. */
  requireStorable(query: JsonObject, path: string): void {
    this.#requireKeys(query, ['unit', 'filter'], path);
    const { unit } = query;
    if (unit !== undefined && unit !== 'sample' && unit !== 'patient')
      this.#add(`${path}/unit`, 'must be sample or patient');
    if (this.cohorts.size > 0) this.#add(`${path}/filter`, 'must not name cohorts');
  }

  /** Problem 400 if there are errors. */
  throwIfAny(): void {
    if (this.#details.length > 0) throw invalidInput(this.#details);
  }

  #group(kind: 'and' | 'or', value: JsonObject, path: string, depth: number): Node {
    this.#requireKeys(value, [kind, 'pill'], path);
    const parts = value[kind];
    if (!Array.isArray(parts)) return this.#refuse(`${path}/${kind}`, 'must be a list');
    const of: Node[] = [];
    for (const [at, part] of parts.entries()) {
      if (this.#nodes > nodeLimits.nodesMax) break;
      of.push(this.node(part, `${path}/${kind}/${at}`, depth + 1));
    }
    const pill = this.#pill(value, path);
    return kind === 'and' ? { and: of, ...pill } : { or: of, ...pill };
  }

  #not(value: JsonObject, path: string, depth: number): Node {
    this.#requireKeys(value, ['not', 'unprofiled', 'pill'], path);
    const { unprofiled } = value;
    if (unprofiled !== undefined && unprofiled !== 'include')
      this.#add(`${path}/unprofiled`, 'must be include, or absent');
    const of = this.node(value['not'], `${path}/not`, depth + 1);
    return { not: of, ...(unprofiled === 'include' && { unprofiled }), ...this.#pill(value, path) };
  }

  #leaf(kind: keyof typeof leafShapes, value: JsonObject, path: string): Node {
    if (!this.#validate(leafShapes[kind], value, path)) return nothing;
    const leaf = value as Leaf;
    if ('attribute' in leaf && !leaf.in && !leaf.ranges && leaf.na !== true)
      this.#add(path, 'must have in, ranges or na');
    if ('ranges' in leaf)
      for (const [at, range] of (leaf.ranges ?? []).entries())
        if (Object.keys(range).length === 0) this.#add(`${path}/ranges/${at}`, 'must have an end');
    if ('timed' in leaf) this.#checkTimed(leaf, path);
    if ('region' in leaf)
      for (const [at, corner] of leaf.region.corners.entries())
        for (const axis of leaf.region.logs ?? [])
          if (corner[axis] <= 0)
            this.#add(`${path}/region/corners/${at}/${axis}`, 'must be above 0 on a logarithmic scale');
    if ('list' in leaf) this.#countIds(leaf.list.length, `${path}/list`);
    if ('samples' in leaf) this.#countIds(leaf.samples.length, `${path}/samples`);
    if ('patients' in leaf) this.#countIds(leaf.patients.length, `${path}/patients`);
    const named =
      'cohort' in leaf ? [leaf.cohort] : 'where' in leaf ? cohortsNamed({ where: leaf.where }) : [];
    for (const id of named) this.cohorts.add(id);
    if (this.cohorts.size > cohortsMax) this.#add(path, `names more than ${cohortsMax} cohorts`);
    return leaf;
  }

  #checkTimed({ timed, event }: { timed?: Timed; event?: Moment }, path: string): void {
    if (!timed) return;
    for (const fault of faultsOf(timed, event)) this.#add(`${path}/${fault.path}`, fault.message);
  }

  #countIds(count: number, path: string): void {
    this.#ids += count;
    if (this.#ids > nodeLimits.idsMax) this.#add(path, `exceeds the maximum of ${nodeLimits.idsMax} ids`);
  }

  #pill(value: JsonObject, path: string): { pill?: string } {
    const { pill } = value;
    if (pill === undefined) return {};
    if (typeof pill === 'string' && pill.length > 0 && pill.length <= 64) return { pill };
    this.#add(`${path}/pill`, 'must be a text of 1 to 64 characters');
    return {};
  }

  #validate(shape: TSchema, value: unknown, path: string): boolean {
    // Several errors may be about one place: the first names the cause.
    const found = new Map<string, string>();
    for (const error of Value.Errors(shape, value)) {
      const at = `${path}${error.instancePath}`;
      const message = error.message === 'schema is false' ? 'is not known' : error.message;
      if (error.keyword !== 'additionalProperties' && !found.has(at)) found.set(at, message);
    }
    const nul = found.size === 0 && holdsNul(value);
    if (nul) found.set(path, 'must not hold the character U+0000');
    for (const [at, message] of found) this.#add(at, message);
    return found.size === 0;
  }

  #requireKeys(value: JsonObject, known: readonly string[], path: string): void {
    for (const key of Object.keys(value))
      if (!known.includes(key)) this.#add(`${path}/${key}`, 'is not known');
  }

  #refuse(path: string, message: string): Node {
    this.#add(path, message);
    return nothing;
  }

  #add(path: string, message: string): void {
    if (this.#details.length < detailsMax) this.#details.push({ path, message });
  }
}

type JsonObject = { readonly [key: string]: unknown };

const nothing: Node = { or: [] };
const nodeKinds = ['and', 'or', 'not', ...(Object.keys(leafShapes) as (keyof typeof leafShapes)[])] as const;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reports whether a text within a value holds U+0000, which ends texts of the engine. */
const holdsNul = (value: unknown): boolean => JSON.stringify(value).includes('\\u0000');
