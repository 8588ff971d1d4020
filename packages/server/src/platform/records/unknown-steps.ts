import { type Migration, migrations } from './migrations/index.ts';

type Steps = Readonly<Record<string, Migration>>;

/** The step that makes the tables. Every released version has taken it, so records and backups without it are of an earlier build. */
export const firstStep = '0001-initial';

/** Applied steps by name, each with the oldest step whose processes work beside it. */
export type AppliedSteps = ReadonlyMap<string, string | null>;

/** Finds the first step, by name, that this version does not know. `applied`: without those that it works beside. */
export function unknownStep(
  names: Iterable<string>,
  known: Steps = migrations,
  applied: AppliedSteps = new Map(),
): string | undefined {
  const worksBeside = (name: string): boolean => Object.hasOwn(known, applied.get(name) ?? '');
  return [...names].filter((name) => !Object.hasOwn(known, name) && !worksBeside(name)).sort()[0];
}

/** Reports whether a build before 0.1.0 took these steps. */
export function isBeforeFirst(names: Iterable<string>): boolean {
  const taken = new Set(names);
  return taken.size > 0 && !taken.has(firstStep);
}

/** Returns why this version must not read records with these steps, with the remedy; `undefined` when it has them all. */
export function refusalOf(
  names: readonly string[],
  known: Steps = migrations,
  applied?: AppliedSteps,
): string | undefined {
  const unknown = unknownStep(names, known, applied);
  if (unknown === undefined) return undefined;
  if (isBeforeFirst(names))
    return (
      'The records were written by a build before 0.1.0, which this version reads from a backup only. Back up with that build: ' +
      '"ploidy admin backup FOLDER --with-key". Then restore with this version: "ploidy admin restore FOLDER", with ' +
      'PLOIDY_DATA_DIR naming a new folder and PLOIDY_DATABASE_URL, if set, an empty database.'
    );
  // A released step sorts after all of earlier versions (test/upgrade/migrations.test.ts).
  if (unknown < (Object.keys(migrations).sort().at(-1) ?? ''))
    return `The records were written by a build that was never released (it made the change "${unknown}"): start that build, or restore a backup of a release.`;
  return `The records were written by a newer version (it made the change "${unknown}"): start that version, or restore a backup.`;
}
