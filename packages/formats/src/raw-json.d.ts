/** Of the runtime, not yet of the library of TypeScript. */
interface JSON {
  /** A number as it is written (ECMAScript proposal "JSON.parse source text access"). */
  rawJSON(text: string): object;
}
