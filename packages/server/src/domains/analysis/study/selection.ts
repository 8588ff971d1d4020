import { createHash } from 'node:crypto';
import { needsPatients, type PinnedProject } from '../../lake/index.ts';
import type { Building } from './building.ts';
import type { StudyStatement } from './filter.ts';
import type { Node } from './node.ts';

/** Subjects that pass a filter: all, those of a group without those of others, or those of several groups. */
export type Selection =
  | { filter: Node; group?: never; several?: never }
  | { filter: Node; group: Node; without: readonly Node[]; several?: never }
  | { filter: Node; several: readonly Node[]; group?: never };

/** Mark in the keys of callers who see some patients only. */
export const someMark = '/some/';

/** Returns the key of what was found for a question: project, data, rights and day. */
export function keyOf({ id, dataVersion, annotations, access }: PinnedProject, question: unknown): string {
  const day = new Date().toISOString().slice(0, 10);
  const key = JSON.stringify([id, dataVersion, annotations, access, day, question]);
  const kind = needsPatients(access) ? someMark : '/all/';
  return `${id}${kind}${createHash('sha256').update(key).digest('base64url')}`;
}

/** Returns the text of a selection without the names of its parts: equal ones are equal questions. */
export function plainSelection({ filter, ...more }: Selection): string {
  const lists = Object.entries(more).map(([key, value]) => [key, [value].flat().map(plain)]);
  return JSON.stringify([plain(filter), ...lists]);
}

/** Returns a filter without the names of its parts. */
function plain(node: Node): Node {
  const { pill: _, ...rest } = node;
  if ('and' in rest) return { and: rest.and.map(plain) };
  if ('or' in rest) return { or: rest.or.map(plain) };
  return 'not' in rest ? { ...rest, not: plain(rest.not) } : rest;
}

/** Returns the relations of the subjects of a selection. */
export function setsOf(statement: StudyStatement, selection: Selection): Pick<Building, 'set' | 'elsewhere'> {
  const { filter } = selection;
  if (selection.several) return { set: statement.overlap(filter, selection.several) };
  if (!selection.group) return { set: statement.set(filter) };
  const { group, without } = selection;
  const set = statement.group(filter, group, without);
  if (without.length === 0) return { set };
  return { set, elsewhere: statement.group(filter, { or: [...without] }, []) };
}
