/** A value that goes to the engine beside the text of a statement, never in it. */
export type Parameter = string | number | boolean;

/** Gathers the parameters of a statement. */
export class Parameters {
  readonly values: Parameter[] = [];

  /** SQL of a value, cast to its type. */
  add(value: Parameter, type: string): string {
    this.values.push(value);
    return `CAST($${this.values.length} AS ${type})`;
  }
}
