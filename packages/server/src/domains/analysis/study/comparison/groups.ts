import type { Building, Part } from '../building.ts';
import type { Cell } from '../cells.ts';
import type { Node } from '../node.ts';

/** Groups of a comparison, and what happens to patients who are in several of them. */
interface Grouping {
  groups: readonly { id: string; filter: Node }[];
  /** `exclude`: they leave all groups; `include`: they stay, and nothing is tested. Absent: not decided. */
  overlap?: 'exclude' | 'include';
}

/** Subjects of a group; for the patient unit both numbers are equal. */
interface GroupSize {
  id: string;
  subjects: number;
  patients: number;
}

/** Relations of a comparison. */
export interface Members {
  /** One row per subject and group: `subject`, `patient`, `digest`, `owner`, `g` (place of the group). */
  members: string;
  /** SELECT of the owners in several groups. */
  shared: string;
}

/**
 * Builds the members of groups. The owner of a subject is its patient. Samples of one patient are not independent: an owner
 * in two groups is in both, whichever samples are there.
 */
export function membersOf({ groups, overlap }: Grouping, { statement, set }: Building): Members {
  const key = JSON.stringify(groups.map(({ filter }) => filter));
  const all = statement.relation(JSON.stringify(['grouped', set, key]), () =>
    groups
      .map(
        (
          { filter },
          at,
        ) => `SELECT m.subject, m.patient, m.digest, ${at} AS g, coalesce(m.patient, -m.subject) AS owner
        FROM ${statement.set(filter)} AS m SEMI JOIN ${set} AS s ON s.subject = m.subject`,
      )
      .join('\nUNION ALL '),
  );
  const shared = statement.relation(
    JSON.stringify(['shared', set, key]),
    () => `SELECT owner FROM ${all} GROUP BY owner HAVING count(DISTINCT g) > 1`,
  );
  const members =
    overlap === 'exclude'
      ? statement.relation(
          JSON.stringify(['members', set, key]),
          () => `SELECT * FROM ${all} WHERE owner NOT IN (SELECT owner FROM ${shared})`,
        )
      : all;
  return { members, shared: `SELECT owner FROM ${shared}` };
}

/** Builds the SELECT of the numbers of subjects and patients of each group, and of the owners in several. */
export function sizesSql({ members, shared }: Members): string {
  const sizes = `SELECT g, count(DISTINCT subject) AS n, count(DISTINCT owner) AS p FROM ${members} GROUP BY g`;
  return `SELECT {'sizes': (SELECT list({'g': g, 'subjects': n, 'patients': p}) FROM (${sizes})),
    'shared': (SELECT count(*) FROM (${shared}))}`;
}

export interface FoundSizes {
  sizes: { g: number; subjects: number; patients: number }[] | null;
  shared: number;
}

/** Converts the sizes of groups. `reason`: set where nothing may be tested. */
export function groupsOf({ groups, overlap }: Grouping, { sizes, shared }: FoundSizes) {
  const reason = shared > 0 && overlap !== 'exclude' ? ('overlap' as const) : undefined;
  return {
    groups: groups.map(({ id }, at): GroupSize => {
      const { subjects = 0, patients = 0 } = (sizes ?? []).find(({ g }) => g === at) ?? {};
      return { id, subjects, patients };
    }),
    shared,
    ...(reason && { reason }),
  };
}

interface FoundRegions {
  regions: { groups: number[]; cell: Cell }[] | null;
  sizes: { g: number; cell: Cell }[] | null;
  shared: Cell;
}

/** Builds the overlap of groups: the patients, or samples without one, of each combination of groups. */
export function overlapPart({ groups }: Grouping, building: Building): Part {
  const { statement, cells } = building;
  const { members, shared } = membersOf({ groups }, building);
  const owners = statement.relation(
    `owners ${members}`,
    () =>
      `SELECT owner, any_value(patient) AS patient, any_value(digest) AS digest, list_sort(list(DISTINCT g)) AS groups FROM ${members} GROUP BY owner`,
  );
  const regions = `SELECT groups, ${cells.rows()} AS cell FROM ${owners} GROUP BY groups`;
  const sizes = `SELECT g, ${cells.rows()} AS cell FROM (SELECT DISTINCT g, owner, patient, digest FROM ${members}) GROUP BY g`;
  return {
    sql: `SELECT to_json({'regions': (SELECT list({'groups': groups, 'cell': cell} ORDER BY groups) FROM (${regions})),
      'sizes': (SELECT list({'g': g, 'cell': cell}) FROM (${sizes})),
      'shared': (SELECT ${cells.rows()} FROM ${owners} WHERE owner IN (${shared}))})`,
    result: (found: FoundRegions) => ({
      overlap: {
        groups: groups.map(({ id }, at) => {
          const size = (found.sizes ?? []).find(({ g }) => g === at);
          return { id, patients: size ? cells.shown(size.cell) : cells.hides ? null : 0 };
        }),
        regions: (found.regions ?? [])
          .map(({ groups: places, cell }) => ({
            groups: places.flatMap((place) => groups[place]?.id ?? []),
            patients: cells.shown(cell),
          }))
          // A region of few patients is not named: its presence alone is about them.
          .filter(({ patients }) => patients !== null)
          .toSorted((one, next) => Number(next.patients) - Number(one.patients)),
        shared: cells.shown(found.shared),
      },
    }),
  };
}
