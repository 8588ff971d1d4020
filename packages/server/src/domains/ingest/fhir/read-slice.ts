import { isAscii, isUtf8 } from 'node:buffer';
import { InputError, resourceBytesMax, viewOf } from '@ploidy/formats';
import type { Warning } from '../../../platform/engine/conversion.ts';
import { Intake, type Place } from './intake.ts';
import type { ResourceReader } from './resource-reader.ts';
import type { SliceRows } from './slice-rows.ts';
import type { Slice } from './slices.ts';
import type { Known, ReadTask, SliceOutcome } from './work.ts';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
/** No more of one slice are told: the first hundred of a source are kept. */
const warningsMax = 100;
const tooLarge = `it is larger than ${resourceBytesMax / 1024 / 1024} MiB`;

/** Reads the resources of a slice into a file of sorted rows. `reader`, `rows`: what served the slice before. */
export function readSlice(
  { slice, path }: ReadTask,
  known: Known,
  reader: ResourceReader,
  rows: SliceRows,
): SliceOutcome {
  const warnings: Warning[] = [];
  let warningCount = 0;
  const warn = (warning: Warning): void => {
    warningCount += 1;
    if (warnings.length < warningsMax) warnings.push(warning);
  };
  const intake = new Intake(rows, { warn }, known);
  const broken = unlessBroken(() => takeAll(slice, reader, intake));
  const rowCount = rows.rows;
  const sections = rows.writeTo(path, slice.number);
  return {
    memory: slice.memory,
    sections,
    resources: intake.resources,
    rows: rowCount,
    warnings,
    warningCount,
    otherTypes: [...intake.otherTypes],
    fullUrls: [...intake.fullUrls],
    severalCount: intake.severalCount,
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

function takeAll(slice: Slice, reader: ResourceReader, intake: Intake): void {
  const bytes = Buffer.from(slice.memory, 0, slice.length);
  if (slice.isTooLarge) intake.refuse({ line: slice.line, column: 1 }, tooLarge);
  else if (slice.pieces) takePieces(bytes, slice.pieces, intake);
  else takeLines(bytes, slice.line, reader, intake);
}

function takePieces(bytes: Buffer, pieces: NonNullable<Slice['pieces']>, intake: Intake): void {
  for (const { kind, line, column, index, start, end, bundle } of pieces) {
    const place: Place = { line, column, entry: index };
    const piece = bytes.subarray(start, end);
    if (!isUtf8(piece)) {
      intake.refuse(place, 'it is no valid UTF-8');
      continue;
    }
    const text = piece.toString('utf8').trim();
    if (kind === 'entry') intake.takeEntry(text, isAscii(piece), place, bundle);
    else intake.take(text, isAscii(piece), place);
  }
}

function takeLines(bytes: Buffer, firstLine: number, reader: ResourceReader, intake: Intake): void {
  const allAscii = isAscii(bytes);
  const isValid = allAscii || isUtf8(bytes);
  const view = viewOf(bytes);
  let line = firstLine;
  for (let start = 0, stop = 0; start < bytes.length; start = stop + 1, line += 1) {
    stop = bytes.indexOf(lineFeed, start);
    if (stop < 0) stop = bytes.length;
    const end = bytes[stop - 1] === carriageReturn && stop > start ? stop - 1 : stop;
    const place = { line, column: 1 };
    const ascii = allAscii || isAscii(bytes.subarray(start, end));
    if (end - start > resourceBytesMax) intake.refuse(place, tooLarge);
    else if (!isValid && !isUtf8(bytes.subarray(start, end))) intake.refuse(place, 'it is no valid UTF-8');
    else {
      const written = { bytes, start, end };
      const resource = reader.read(bytes, view, start, end, ascii);
      if (resource && resource['resourceType'] !== 'Bundle') intake.takeRead(resource, ascii, place, written);
      else {
        const text = bytes.toString(ascii ? 'latin1' : 'utf8', start, end);
        if (text !== '' && text.trim() !== '') intake.take(text, ascii, place, written);
      }
    }
  }
}
