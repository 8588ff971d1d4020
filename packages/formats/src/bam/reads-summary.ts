import type { ReadCounts } from './read-counts.ts';
import type { HeaderTags } from './sam-header.ts';
import type { ScannedReads } from './scan.ts';

/** Origin of a read group: GA4GH's fields that a header has. */
export interface GroupExperiment {
  instrumentModel?: string;
  sequencingCenter?: string;
  library?: string;
  libraryLayout?: 'PAIRED' | 'SINGLE';
  platformUnit?: string;
  runTime?: string;
}

/** An `@RG` and the reads in it. */
export interface GroupSummary {
  name: string;
  description?: string;
  sampleName?: string;
  predictedInsertSize?: number;
  experiment: GroupExperiment;
  counts: ReadCounts;
  /** Other tags of the line. */
  attributes: Record<string, string>;
}

/** An `@PG` under GA4GH's names. */
export interface ProgramSummary {
  id: string;
  name?: string;
  version?: string;
  commandLine?: string;
  prevProgramId?: string;
}

/** Metadata of a BAM that is kept beside its index. */
export interface ReadsSummary {
  records: number;
  counts: ReadCounts;
  groups: GroupSummary[];
  programs: ProgramSummary[];
  /** Content of `@HD`. */
  attributes: Record<string, string>;
  /** `AS`, when all sequences have the same. */
  assemblyId?: string;
}

/** Tags of `@RG` that have fields of their own. */
const groupTags = ['ID', 'SM', 'DS', 'PI', 'PL', 'PM', 'CN', 'LB', 'PU', 'DT'];

/** Header and counts as GA4GH names them. A BAM without `@RG` has one group, called `default`. */
export function summariseReads(scanned: ScannedReads): ReadsSummary {
  const { sam, counts, records } = scanned;
  const lines = sam.readGroups.length > 0 ? sam.readGroups : [new Map([['ID', 'default']])];
  const assemblyId = sameOfAll(sam.sequences, 'AS');
  return {
    records,
    counts: counts.total(),
    groups: lines.map((tags, index) => groupOf(tags, index, counts.groups[index])),
    programs: sam.programs.map(programOf),
    attributes: Object.fromEntries(sam.file),
    ...(assemblyId !== undefined && { assemblyId }),
  };
}

function groupOf(
  tags: HeaderTags,
  index: number,
  counts: (ReadCounts & { paired: number }) | undefined,
): GroupSummary {
  const { aligned = 0, unaligned = 0, bases = 0, paired = 0 } = counts ?? {};
  const insertSize = Number(tags.get('PI'));
  const others = [...tags].filter(([name]) => !groupTags.includes(name));
  const reads = aligned + unaligned;
  return {
    name: tags.get('ID') || `read group ${index + 1}`,
    ...given({ description: tags.get('DS'), sampleName: tags.get('SM') }),
    ...(tags.get('PI') &&
      Number.isSafeInteger(Math.round(insertSize)) && { predictedInsertSize: Math.round(insertSize) }),
    experiment: {
      ...given({
        instrumentModel: tags.get('PM') || tags.get('PL'),
        sequencingCenter: tags.get('CN'),
        library: tags.get('LB'),
        platformUnit: tags.get('PU'),
        runTime: runTimeOf(tags.get('DT') ?? ''),
      }),
      ...(reads > 0 && { libraryLayout: paired > 0 ? 'PAIRED' : 'SINGLE' }),
    },
    counts: { aligned, unaligned, bases },
    attributes: Object.fromEntries(others),
  };
}

function programOf(tags: HeaderTags): ProgramSummary {
  return {
    id: tags.get('ID') ?? '',
    ...given({
      name: tags.get('PN'),
      version: tags.get('VN'),
      commandLine: tags.get('CL'),
      prevProgramId: tags.get('PP'),
    }),
  };
}

/** Copies an object without its empty and missing fields. */
function given<K extends string>(fields: Record<K, string | undefined>): Partial<Record<K, string>> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Partial<Record<K, string>>;
}

function sameOfAll(lines: readonly HeaderTags[], tag: string): string | undefined {
  const first = lines[0]?.get(tag);
  return first !== undefined && lines.every((tags) => tags.get(tag) === first) ? first : undefined;
}

/** ISO 8601 with a time zone, in its long or short form. */
const moment =
  /^(?<year>\d{4})-?(?<month>\d\d)-?(?<day>\d\d)T(?<hour>\d\d):?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<part>\d+))?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)$/i;

/**
 * Returns the DT of an `@RG` (SAM §1.3: an ISO 8601 date or time) as other timestamps are written: RFC 3339, UTC, milliseconds. A date
 * alone, or a time without a zone, names no moment: it stays as it is written.
 */
export function runTimeOf(text: string): string {
  const {
    year,
    month,
    day,
    hour,
    minute,
    second = '00',
    part = '',
    zone = '',
  } = moment.exec(text)?.groups ?? {};
  // `Date` takes 30 February for 2 March.
  if (new Date(`${year}-${month}-${day}T00:00:00Z`).getUTCDate() !== Number(day)) return text;
  const offset =
    zone.toUpperCase() === 'Z' ? 'Z' : `${zone.replace(':', '')}00`.replace(/^(...)(..).*/, '$1:$2');
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${part.padEnd(3, '0').slice(0, 3)}${offset}`,
  );
  return Number.isNaN(time) ? text : new Date(time).toISOString();
}
