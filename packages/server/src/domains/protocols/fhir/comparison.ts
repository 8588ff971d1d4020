import type { Place, SearchParameter } from '@ploidy/formats/fhir-r4';
import type { Parameters } from '../../analysis/analytics/index.ts';

/** Context of a comparison. */
export interface Comparison {
  parameters: Parameters;
  /** Address of the FHIR interface of the project: absolute references to it are its own. */
  base: string;
  now: number;
}

/** Parameter of a statement that is added where it is first used: all of them must occur. */
export type Used = () => string;

export function onceUsed(add: Used): Used {
  let known: string | undefined;
  return () => {
    known ??= add();
    return known;
  };
}

/** Builds the condition that a resource has one value of a parameter. */
export type Compare = (
  parameter: SearchParameter,
  value: string,
  modifier: string | undefined,
  how: Comparison,
) => string;

/** Builds the condition that a test holds at some place of a parameter. */
export const anyPlace = ({ places }: SearchParameter, test: (place: Place) => string): string =>
  `(${places.map(test).join(' OR ')})`;
