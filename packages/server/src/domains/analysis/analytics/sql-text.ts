/** Value passed to the engine beside the statement, never in its text. */
export type Parameter = string | number | boolean;

/** Collects the parameters of a statement. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** Returns the SQL of a parameter, cast to its type. */
  add(value: Parameter, type: string): string {
    this.values.push(value);
    return `CAST($${this.values.length} AS ${type})`;
  }
}
