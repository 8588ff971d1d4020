import { createContext, useContext, useEffect } from 'react';
import type { NewFigure } from './reports.ts';

/** Drawing of a figure with the rows behind it. */
export interface Drawn {
  title: string;
  data: Record<string, unknown>[];
  svg: () => SVGSVGElement | null;
}

/** Page whose figures can be kept: the page, and the version of its data. */
export interface Keepable {
  project: string;
  page: NewFigure['page'];
  version: number | undefined;
  /** Query part of the address that makes the figure again; absent: that of the present page. */
  state?: string;
}

/** Set on pages whose addresses make their figures again. */
export const KeepableContext = createContext<Keepable | undefined>(undefined);

/** Takes the drawings of a report, so that the whole of it can be written to a file. */
export const CollectorContext = createContext<((drawn: Drawn) => void) | undefined>(undefined);

/** Hands a drawing to the report that it is in, if there is one. */
export function useCollected(drawn: Drawn): void {
  const collect = useContext(CollectorContext);
  useEffect(() => collect?.(drawn));
}
