import { EhrError } from './ehr-error.ts';

/**
 * Finds pages that lead back to an earlier one, however many lie between (Brent's algorithm): one address is remembered, another one
 * whenever twice as many pages have come.
 */
export class PageCircle {
  #remembered = '';
  #pages = 0;
  #pagesMax = 1;

  /** Of a page and the one that it leads to; `isFirst`: of a search. Throws `EhrError` when that one was there before. */
  follow(page: string, next: string, isFirst: boolean): void {
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
  const message = 'The EHR system gives the same page as the next one again and again.';
  return new EhrError('ENDLESS', message);
}
