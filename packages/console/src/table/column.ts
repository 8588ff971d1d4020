import type { ReactNode } from 'react';

/** Rows by their number; arrays are such. */
export interface Source<R> {
  readonly length: number;
  at(index: number): R | undefined;
}

/** A column: how a row is read, and how it is shown where a text is not enough. */
export interface Column<R> {
  name: string;
  value: (row: R) => unknown;
  render?: (row: R) => ReactNode;
  /** Text that is shown in place of the value, such as the name of an id; copies and files keep the value. */
  label?: (row: R) => string;
  numeric?: boolean;
  /** Moments, shown by the clock and the language of the browser. */
  isTime?: boolean;
  /** Width in pixels, where the values do not show it. */
  width?: number;
  /** Buttons: neither copied nor exported. */
  isAction?: boolean;
}
