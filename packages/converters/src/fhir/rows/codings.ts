import type { Coding } from '@ploidy/formats';
import { Places } from '../read/places.ts';

/** A coding, and which resources have it. */
export interface HeldCoding extends KnownCoding {
  /** Resources in source order, with repetitions. */
  holders: Int32Array;
}

interface KnownCoding extends Pick<Coding, 'userSelected' | 'rank'> {
  element: string;
  system: string;
  code: string;
  display: string;
  /** Number of the coding, from 0. */
  number: number;
}

/** Longer systems and codes are invalid and dropped; displays are cut. */
export const codingLengthMax = 1000;

/** Distinct codings of a slice, since codings repeat. */
export class Codings {
  readonly #byCode = new Map<string, KnownCoding[]>();
  readonly #known: KnownCoding[] = [];
  /** Numbers of coding and holder in turn. */
  readonly #pairs = new Places();

  add(
    element: string,
    { system = '', code = '', display = '', userSelected, rank }: Coding,
    holder: number,
  ): void {
    if (system.length > codingLengthMax || code.length > codingLengthMax) return;
    const shown =
      display.length > codingLengthMax ? display.slice(0, codingLengthMax).toWellFormed() : display;
    this.#pairs.push(this.#numberOf({ element, system, code, display: shown, userSelected, rank }));
    this.#pairs.push(holder);
  }

  #numberOf(given: Omit<KnownCoding, 'number'>): number {
    const { element, system, code, display, userSelected, rank } = given;
    const alike = this.#byCode.get(code);
    const known = alike?.find(
      (one) =>
        one.element === element &&
        one.rank === rank &&
        one.display === display &&
        one.system === system &&
        one.userSelected === userSelected,
    );
    if (known) return known.number;
    const coding = { ...given, number: this.#known.length };
    this.#known.push(coding);
    if (alike) alike.push(coding);
    else this.#byCode.set(code, [coding]);
    return coding.number;
  }

  all(): HeldCoding[] {
    const pairs = this.#pairs;
    const counts = new Int32Array(this.#known.length);
    for (let at = 0; at < pairs.length; at += 2) counts[pairs.at(at)] = (counts[pairs.at(at)] as number) + 1;
    const all = this.#known.map((coding, number) => ({
      ...coding,
      holders: new Int32Array(counts[number] as number),
    }));
    for (let at = pairs.length - 2; at >= 0; at -= 2) {
      const number = pairs.at(at);
      const place = (counts[number] as number) - 1;
      counts[number] = place;
      (all[number] as HeldCoding).holders[place] = pairs.at(at + 1);
    }
    return all;
  }

  clear(): void {
    this.#byCode.clear();
    this.#known.length = 0;
    this.#pairs.clear();
  }
}
