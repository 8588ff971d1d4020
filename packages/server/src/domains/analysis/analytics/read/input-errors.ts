import { invalidInput, type ProblemDetail } from '../../../../base/problem.ts';
import { commonCollections, type KnownCollections } from '../fields.ts';
import { limits } from '../query.ts';

/** `ignored`: for stored queries from before unknown keys were errors. */
export type UnknownKeys = 'reported' | 'ignored';

/** Collects all errors of a query with their paths, so that users can fix them at once. */
export class InputErrors {
  readonly #details: ProblemDetail[] = [];
  readonly #unknownKeys: UnknownKeys;
  /** Collections that the query may name. */
  readonly known: KnownCollections;
  /** Cohorts that conditions name. */
  readonly cohorts = new Set<string>();
  #nodes = 0;

  constructor(unknownKeys: UnknownKeys = 'reported', known = commonCollections) {
    this.#unknownKeys = unknownKeys;
    this.known = known;
  }

  add(path: string, message: string): undefined {
    if (this.#details.length < 100) this.#details.push({ path, message });
    return undefined;
  }

  /** Reports unknown keys: ignoring one would answer a different query. */
  requireKnown(value: JsonObject, known: readonly string[], path: string): void {
    if (this.#unknownKeys === 'ignored') return;
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.add(`${path}/${key}`, `is not known; there are ${known.join(', ')}`);
    }
  }

  /** Counts a condition or group; stops parsing beyond the limit. */
  enter(path: string, depth: number): boolean {
    this.#nodes += 1;
    if (depth > limits.depthMax) {
      this.add(path, `is nested more than ${limits.depthMax} deep`);
      return false;
    }
    if (this.#nodes === limits.nodesMax + 1) {
      this.add(path, `exceeds the maximum of ${limits.nodesMax} conditions`);
    }
    return this.#nodes <= limits.nodesMax;
  }

  /** Problem 400 if there are errors. */
  throwIfAny(): void {
    if (this.#details.length > 0) throw invalidInput(this.#details);
  }
}

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
