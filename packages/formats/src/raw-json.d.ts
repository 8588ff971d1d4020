/** Declares functions of the runtime that TypeScript's library lacks. */
interface JSON {
  /** A number as written (ECMAScript proposal "JSON.parse source text access"). */
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}
