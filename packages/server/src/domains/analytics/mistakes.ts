import { invalidInput, type ProblemDetail } from '../../problem.ts';
import { limits } from './query.ts';

/** `ignored`: of queries that were taken before such keys were told. */
export type UnknownKeys = 'told' | 'ignored';

/** Gathers every mistake of a query with its path, so that a person mends them all at once. */
export class Mistakes {
  readonly #details: ProblemDetail[] = [];
  readonly #unknownKeys: UnknownKeys;
  #nodes = 0;

  constructor(unknownKeys: UnknownKeys = 'told') {
    this.#unknownKeys = unknownKeys;
  }

  add(path: string, message: string): undefined {
    if (this.#details.length < 100) this.#details.push({ path, message });
    return undefined;
  }

  /** A key that means nothing is a mistake: an answer that takes no notice of it would be to another question. */
  requireKnown(value: JsonObject, known: readonly string[], path: string): void {
    if (this.#unknownKeys === 'ignored') return;
    for (const key of Object.keys(value)) {
      if (!known.includes(key)) this.add(`${path}/${key}`, `is not known; there are ${known.join(', ')}`);
    }
  }

  /** Counts a condition or group; what is too large is not read on. */
  enter(path: string, depth: number): boolean {
    this.#nodes += 1;
    if (depth > limits.depthMax) {
      this.add(path, `is nested more than ${limits.depthMax} deep`);
      return false;
    }
    if (this.#nodes === limits.nodesMax + 1) {
      this.add(path, `is the condition after ${limits.nodesMax}, which are the most`);
    }
    return this.#nodes <= limits.nodesMax;
  }

  /** Problem 400 when there are any. */
  throwIfAny(): void {
    if (this.#details.length > 0) throw invalidInput(this.#details);
  }
}

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
