import { isAscii, isUtf8 } from 'node:buffer';
import type { Warning } from '@ploidy/engine';
import { type Counted, InputError, resourceBytesMax, type Target } from '@ploidy/formats';
import type { Section } from '../rows/row-file.ts';
import type { SliceRows } from '../rows/slice-rows.ts';
import { Intake } from './intake.ts';
import type { Place } from './place.ts';
import type { Slice } from './slices.ts';
import type { SearchPage, SourceNotes } from './source-notes.ts';

/** Facts that all threads of a conversion share. */
export interface Known {
  skipBroken: boolean;
  /** Known full URLs that do not name their resource. */
  fullUrls: ReadonlyMap<string, Target>;
  /** Set if the source is known to hold several Bundles. */
  hasSeveralBundles: boolean;
  /** Prefix of all ids. */
  idPrefix: string;
  /** Given source of all resources; undefined: the server of their full URLs. */
  source: string | undefined;
}

/** Task of reading a slice of the source into a file of sorted rows. */
export interface ReadTask {
  kind: 'read';
  slice: Slice;
  path: string;
}

export interface SliceOutcome {
  /** Memory of the slice, to be reused. */
  memory: ArrayBuffer;
  sections: Section[];
  /** Resources read, of whatever type. */
  resources: number;
  rows: number;
  /** The first warnings. */
  warnings: Warning[];
  warningCount: number;
  /** Counts of resources without an id, by type. */
  otherTypes: [type: string, count: number][];
  /** Elements that are in no column but in the document, and resources without rows, by reason. */
  kept: Counted[];
  leftOut: Counted[];
  fullUrls: [url: string, target: Target][];
  /** References whose full URL names several resources of the source. */
  severalCount: number;
  /** Base addresses of servers. */
  servers: string[];
  /** Searches of which the source has pages. */
  pages: SearchPage[];
  /** Subjects of phenopackets, each with the id of its packet. */
  subjects: SourceNotes['subjects'];
  /** Reason for which the ingestion ends here. */
  broken: { message: string; line: number | undefined; column: number | undefined } | undefined;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** Warnings kept of a slice; an ingestion keeps the first hundred. */
const warningsMax = 100;
const tooLarge = `it is larger than ${resourceBytesMax / 1024 / 1024} MiB`;

/** Reads the resources of a slice into a file of sorted rows. `rows`: memory of the previous slice, reused. */
export function readSlice({ slice, path }: ReadTask, known: Known, rows: SliceRows): SliceOutcome {
  const warnings: Warning[] = [];
  let warningCount = 0;
  const warn = (warning: Warning): void => {
    warningCount += 1;
    if (warnings.length < warningsMax) warnings.push(warning);
  };
  const intake = new Intake(rows, { warn }, known);
  const broken = unlessBroken(() => takeAll(slice, intake));
  const rowCount = rows.rows;
  const sections = rows.writeTo(path, slice.number);
  return {
    memory: slice.memory,
    sections,
    resources: intake.resources,
    rows: rowCount,
    warnings,
    warningCount,
    otherTypes: [...intake.notes.otherTypes],
    kept: [...intake.notes.kept.values()],
    leftOut: [...intake.notes.leftOut.values()],
    fullUrls: [...intake.fullUrls],
    severalCount: intake.severalCount,
    servers: [...intake.servers],
    pages: intake.notes.pages,
    subjects: intake.notes.subjects,
    broken,
  };
}

function unlessBroken(take: () => void): SliceOutcome['broken'] {
  try {
    take();
    return undefined;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const { message, line, column } = error;
    return { message, line, column };
  }
}

function takeAll(slice: Slice, intake: Intake): void {
  const bytes = Buffer.from(slice.memory, 0, slice.length);
  if (slice.isTooLarge) intake.refuse({ line: slice.line, column: 1 }, tooLarge);
  else if (slice.pieces) takePieces(bytes, slice.pieces, intake);
  else takeLines(bytes, slice.line, intake);
}

function takePieces(bytes: Buffer, pieces: NonNullable<Slice['pieces']>, intake: Intake): void {
  for (const { kind, line, column, index, start, end, bundle } of pieces) {
    const place: Place = { line, column, entry: index };
    const piece = bytes.subarray(start, end);
    if (!isUtf8(piece)) {
      intake.refuse(place, 'it is not valid UTF-8');
      continue;
    }
    const text = piece.toString('utf8').trim();
    if (kind === 'entry') intake.takeEntry(text, isAscii(piece), place, bundle);
    else intake.take(text, isAscii(piece), place, bundle.entries);
  }
}

/** Byte order marks, record separators (RFC 7464), NULs and blanks around values. */
const isMark = (code: number): boolean => code <= 0x20 || code === 0xfeff;
/** A byte order mark where files without a last line feed were joined. */
const joint = /(?<=\})\ufeff+(?=\{)/;

/** Returns the values of a line without what programs put around them. */
function withoutMarks(line: string, isAscii: boolean): string[] {
  const isPlain = line.charCodeAt(0) === 0x7b && line.charCodeAt(line.length - 1) === 0x7d;
  if (isPlain && (isAscii || !line.includes('}\ufeff{'))) return [line];
  let [start, end] = [0, line.length];
  while (start < end && isMark(line.charCodeAt(start))) start += 1;
  while (start < end && isMark(line.charCodeAt(end - 1))) end -= 1;
  return start === end ? [] : line.slice(start, end).split(joint);
}

function takeLines(bytes: Buffer, firstLine: number, intake: Intake): void {
  const allAscii = isAscii(bytes);
  const isValid = allAscii || isUtf8(bytes);
  let line = firstLine;
  for (let start = 0, stop = 0; start < bytes.length; start = stop + 1, line += 1) {
    stop = bytes.indexOf(lineFeed, start);
    if (stop < 0) stop = bytes.length;
    const end = bytes[stop - 1] === carriageReturn && stop > start ? stop - 1 : stop;
    const place = { line, column: 1 };
    const ascii = allAscii || isAscii(bytes.subarray(start, end));
    if (end - start > resourceBytesMax) intake.refuse(place, tooLarge);
    else if (!isValid && !isUtf8(bytes.subarray(start, end))) intake.refuse(place, 'it is not valid UTF-8');
    else {
      const text = bytes.toString(ascii ? 'latin1' : 'utf8', start, end);
      if (text !== '') for (const one of withoutMarks(text, ascii)) intake.take(one, ascii, place);
    }
  }
}
