import type { Shape } from '../../api/lists.ts';
import { categories } from '../../design/palette.ts';
import type { Node } from '../../study/conditions.ts';

/** Group of a comparison as the address has it. */
export interface Group {
  name: string;
  is: Node;
}

/** Group with the id of its place, its colour and its line. */
export interface Drawn extends Group {
  id: string;
  colour: string;
  /** Dashes of its line, which differ where colours repeat. */
  dash: string;
}

/** Number of groups that are compared at most. */
export const groupsMax = 10;

/** Choice about patients in several groups. */
export type Overlap = 'exclude' | 'include';

/** Reads groups from an address; an address that was cut off has none. */
export function readGroups(text: string | undefined): Group[] {
  try {
    const list: unknown = JSON.parse(text || '[]');
    return Array.isArray(list) ? list.filter(isGroup).slice(0, groupsMax) : [];
  } catch {
    return [];
  }
}

const isGroup = (value: unknown): value is Group =>
  typeof Object(value).name === 'string' && typeof Object(value).is === 'object' && Object(value).is !== null;

/** Adds what is drawn. Names that occur twice have their place behind. */
export function drawn(groups: readonly Group[]): Drawn[] {
  const dashes = ['', '6 3', '2 3'];
  return groups.map((group, at) => ({
    ...group,
    name:
      groups.filter(({ name }) => name === group.name).length > 1 ? `${group.name} (${at + 1})` : group.name,
    id: `g${at}`,
    colour: categories[at % categories.length] ?? categories[0],
    dash: dashes[Math.floor(at / categories.length)] ?? '',
  }));
}

/** Groups as requests have them. */
export const asked = (groups: readonly Drawn[]): Shape<'StudyGroup'>[] =>
  groups.map(({ id, is }) => ({ id, filter: is }));

/** Attributes that the filters of groups name: comparing them would find what was put in. */
export function attributesIn(groups: readonly Group[]): Set<string> {
  const found = new Set<string>();
  const visit = (node: Node): void => {
    if ('and' in node) node.and.forEach(visit);
    else if ('or' in node) node.or.forEach(visit);
    else if ('not' in node) visit(node.not);
    else if ('attribute' in node) found.add(node.attribute);
  };
  for (const { is } of groups) visit(is);
  return found;
}

/** Writes a number with up to three digits behind the point. */
export const shownNumber = (value: number): string =>
  value.toLocaleString(undefined, { maximumSignificantDigits: 4 });
