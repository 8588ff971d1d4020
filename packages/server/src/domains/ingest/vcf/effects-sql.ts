import { type AnnotationLayout, classicEffects, groupOfEffect } from '@ploidy/formats';
import { literals, lookUp } from './sql-text.ts';

/**
 * `ebcanon_class`: the first term that belongs to a group, else the first, because annotators put the gravest first.
 * `ebcanon_group` follows from it after the sort (`groupOfClass`).
 */
export function effectColumns(layout: AnnotationLayout): Record<string, string | undefined> {
  if (layout.parts.effect === undefined) return {};
  const terms = 'part_effect';
  const separator = layout.shape === 'classic' ? '+' : '&';
  const named = (term: string): string =>
    layout.shape === 'classic' ? `coalesce(${lookUp(term, classicEffects)}, ${term})` : term;
  const every = `list_transform(string_split(${terms}, '${separator}'), lambda x: ${named('x')})`;
  const grouped = `list_filter(${every}, lambda x: x IN (${literals(groupOfEffect.keys())}))[1]`;
  return {
    ebcanon_class: `CASE WHEN ${terms} = '' THEN NULL WHEN contains(${terms}, '${separator}') THEN coalesce(${grouped}, ${every}[1]) ELSE ${named(terms)} END`,
  };
}

/** The coarse group of a class (`ebcanon_group`). */
export function groupOfClass(column: string): string {
  return lookUp(column, groupOfEffect);
}
