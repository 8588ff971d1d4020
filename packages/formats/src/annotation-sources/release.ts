import type { SourceKind } from './source-kind.ts';

/** Release of a source, as a segment of the lake keeps it. */
export interface Release {
  kind: string;
  source: string;
  /** Absent: not known. Such a file replaces no other. */
  version?: string;
  /** ISO date. */
  released?: string;
}

/** Facts of a request about a source. They decide over those in the file. */
export interface RequestedSource {
  kind?: string;
  source?: string;
  version?: string;
  released?: string;
}

/** Finds the release of a file by its request, its header and its name. `header`: lines before the records. */
export function releaseOf(
  kind: SourceKind,
  {
    header,
    fileName,
    requested = {},
  }: { header: readonly string[]; fileName: string; requested?: RequestedSource | undefined },
): Release {
  const inHeader = kind.form === 'vcf' ? kind.versionInHeader : undefined;
  const version =
    requested.version ??
    (inHeader && header.map((line) => inHeader.exec(line)?.[1]).find((found) => found !== undefined)) ??
    kind.versionInName?.exec(fileName)?.[1];
  const released = requested.released ?? dateIn(version ?? '');
  const source = requested.source ?? kind.source ?? nameOf(fileName);
  return {
    ...{ kind: kind.name, source },
    ...(version !== undefined && { version }),
    ...(released !== undefined && { released }),
  };
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the date that a version is, if it is one: `2026-11-08`, `20261108`, `01-Nov-2026`; of a month the first day. */
function dateIn(version: string): string | undefined {
  const [, year, month, day = '01'] = /^(\d{4})-?(\d{2})(?:-?(\d{2}))?$/.exec(version) ?? [];
  const [, dayOfName, name, yearOfName] = /^(\d{2})-([A-Z][a-z]{2})-(\d{4})$/.exec(version) ?? [];
  const named = name === undefined ? 0 : months.indexOf(name) + 1;
  const text =
    named > 0 ? `${yearOfName}-${String(named).padStart(2, '0')}-${dayOfName}` : `${year}-${month}-${day}`;
  return isDate(text) ? text : undefined;
}

/** Reports whether a text is an ISO date that exists. */
export function isDate(text: string): boolean {
  const time = Date.parse(text);
  return (
    /^\d{4}-\d{2}-\d{2}$/.test(text) && Number.isFinite(time) && new Date(time).toISOString().startsWith(text)
  );
}

/** Returns the name of a file without folders and endings. */
function nameOf(fileName: string): string {
  const name = fileName
    .slice(fileName.lastIndexOf('/') + 1)
    .replace(/(?:\.(?:gz|bgz|vcf|bcf|bed|gmt|tsv|csv|txt))+$/i, '');
  return name === '' ? 'annotations' : name;
}

/** Writes a release as the source of a segment. */
export const writeRelease = ({ kind, source, version, released }: Release): string =>
  JSON.stringify({ kind, source, version, released });

/** Reads the source of a segment; undefined for files that earlier versions ingested. */
export function readRelease(source: string): Release | undefined {
  return source.startsWith('{') ? (JSON.parse(source) as Release) : undefined;
}

interface ReleasedFile {
  source: string;
  /** Number of its ingestion; later ones have greater numbers. */
  ordinal: number;
  genomeBuild: string | null;
}

/**
 * Selects the files of the newest release of each source and genome build: all of its parts. The date of the release decides,
 * then the order of ingestion. Files without a version stay, since they may replace anything.
 */
export function newestReleases<T extends ReleasedFile>(files: readonly T[]): T[] {
  const versions = new Map<string, { version: string; released: string; ordinal: number }>();
  for (const { source, ordinal, genomeBuild } of files) {
    const release = readRelease(source);
    if (release?.version === undefined) continue;
    const { version, released = '' } = release;
    const known = versions.get(keyOf(release, genomeBuild));
    const isNewer =
      !known || released > known.released || (released === known.released && ordinal > known.ordinal);
    if (isNewer) versions.set(keyOf(release, genomeBuild), { version, released, ordinal });
  }
  return files.filter(({ source, genomeBuild }) => {
    const release = readRelease(source);
    if (release?.version === undefined) return true;
    return versions.get(keyOf(release, genomeBuild))?.version === release.version;
  });
}

const keyOf = ({ kind, source }: Release, build: string | null): string =>
  JSON.stringify([kind, source, build]);

/** Reports whether a release replaces another one of its source: it is of a later date, or of none. */
export function isLater(release: Release, before: Release): boolean {
  const isSame = release.kind === before.kind && release.source === before.source;
  if (!isSame || release.version === undefined || release.version === before.version) return false;
  return (release.released ?? '') >= (before.released ?? '');
}
