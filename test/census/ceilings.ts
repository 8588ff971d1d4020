/** Compares what the census counts with `test/ceilings.json`, so that a house that grows shows it in one file. */
import type { Measure } from './measures.ts';

/** Maximum free share of a ceiling: below it, the ceiling must be lowered. */
const slack = 0.02;
const placesShown = 5;

/** Describes each measure above its ceiling, far below it, or without one. */
export function faultsOf(measures: Record<string, Measure>, ceilings: Record<string, number>): string[] {
  const unknown = Object.keys(ceilings).filter((name) => measures[name] === undefined);
  return [
    ...unknown.map(
      (name) => `${name} has a ceiling, and nothing measures it: remove it from test/ceilings.json`,
    ),
    ...Object.entries(measures).flatMap(([name, measure]) => faultOf(name, measure, ceilings[name])),
  ];
}

function faultOf(name: string, { value, about, places }: Measure, ceiling: number | undefined): string[] {
  if (ceiling === undefined)
    return [`${about}: ${value}, without a ceiling: add "${name}" to test/ceilings.json`];
  if (value > ceiling) {
    const shown = places.slice(0, placesShown).map((place) => `\n    ${place}`);
    return [
      `${about}: ${value}, ceiling ${ceiling}: bring it down, or raise "${name}" in test/ceilings.json${shown.join('')}`,
    ];
  }
  return value < ceiling * (1 - slack)
    ? [`${about}: ${value}, ceiling ${ceiling}: lower "${name}" in test/ceilings.json to ${value}`]
    : [];
}
