import { jsonSize } from './json.ts';

/** Error in a policy: its place, and the end of a sentence that begins with the path. */
export interface Fault {
  path: string;
  message: string;
}

const nameLengthMax = 80;
const plainName = /^[A-Za-z_]\w*$/;

/** Collects errors up to a number, and counts the size of the checked values: beyond it, checking stops. */
export class Faults {
  readonly found: Fault[] = [];
  readonly #max: number;
  readonly #sizeMax: number;
  #sizeLeft: number;

  constructor(max: number, sizeMax: number) {
    this.#max = max;
    this.#sizeMax = sizeMax;
    this.#sizeLeft = sizeMax;
  }

  /** Set if nothing more needs to be checked. */
  get full(): boolean {
    return this.found.length >= this.#max || this.#sizeLeft < 0;
  }

  add(path: string, message: string): void {
    if (!this.full) this.found.push({ path, message });
  }

  spend(parts: number): void {
    if (this.#sizeLeft < 0) return;
    if (parts > this.#sizeLeft) this.add('rules', `must not have more than ${this.#sizeMax} parts in all`);
    this.#sizeLeft -= parts;
  }

  /** Counts a compared value and reports its error. */
  spendOnValue(value: unknown, depthMax: number, sizeMax: number): string | undefined {
    const size = jsonSize(value, depthMax, sizeMax);
    if (size === undefined)
      return `must be JSON, nested at most ${depthMax} deep, with at most ${sizeMax} parts`;
    this.spend(size);
    return undefined;
  }

  unknownFields(path: string, value: object, known: readonly string[]): void {
    for (const name of Object.keys(value)) {
      if (this.full) return;
      if (!known.includes(name)) this.add(this.field(path, name), 'is not known here');
    }
  }

  /** Returns the path of a field: `rules.readData`, or `rules["resource.dataset"]` for names that are no plain words. */
  field(path: string, name: string): string {
    const short = name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name;
    if (!plainName.test(short)) return `${path}[${JSON.stringify(short)}]`;
    return path === '' ? short : `${path}.${short}`;
  }
}
