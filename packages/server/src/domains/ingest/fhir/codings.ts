import type { Coding } from '@ploidy/formats';

/** A coding, and which resources have it. */
export interface HeldCoding {
  element: string;
  system: string;
  code: string;
  display: string;
  /** In the order in which they came, some several times. */
  holders: number[];
}

/** Longer systems and codes are no such thing; displays are cut to it. */
export const codingLengthMax = 1000;

/** The codings of some resources. They repeat: each is kept once. */
export class Codings {
  readonly #byCode = new Map<string, HeldCoding[]>();

  add(element: string, { system = '', code = '', display = '' }: Coding, holder: number): void {
    if (system.length > codingLengthMax || code.length > codingLengthMax) return;
    const shown =
      display.length > codingLengthMax ? display.slice(0, codingLengthMax).toWellFormed() : display;
    const alike = this.#byCode.get(code);
    if (!alike) {
      this.#byCode.set(code, [{ element, system, code, display: shown, holders: [holder] }]);
      return;
    }
    for (const held of alike) {
      if (held.element !== element || held.display !== shown || held.system !== system) continue;
      held.holders.push(holder);
      return;
    }
    alike.push({ element, system, code, display: shown, holders: [holder] });
  }

  get all(): Iterable<HeldCoding> {
    return Array.from(this.#byCode.values()).flat();
  }

  clear(): void {
    this.#byCode.clear();
  }
}
