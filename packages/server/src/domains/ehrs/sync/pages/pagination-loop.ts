import { EhrError } from '../../fhir-server/ehr-error.ts';

/**
 * Detects pagination loops of any length (Brent's algorithm): remembers one address, and replaces it each
 * time the number of pages has doubled.
 */
export class PaginationLoopGuard {
  #remembered = '';
  #pages = 0;
  #pagesMax = 1;

  /**
   * Checks a page and its next one; `isFirst`: first page of a search. Throws `EhrError` if the next page was
   * seen before.
   */
  check(page: string, next: string, isFirst: boolean): void {
    if (isFirst) {
      this.#remembered = page;
      this.#pages = 0;
      this.#pagesMax = 1;
    }
    if (next === page || next === this.#remembered) throw endless();
    this.#pages += 1;
    if (this.#pages < this.#pagesMax) return;
    this.#remembered = next;
    this.#pages = 0;
    this.#pagesMax *= 2;
  }
}

function endless(): EhrError {
  const message = 'The EHR system repeats the same pages without end.';
  return new EhrError('ENDLESS', message);
}
