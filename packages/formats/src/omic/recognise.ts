import { type Delimiter, delimiterOf, fieldsOf, Header, RecordFault } from '../delimited/index.ts';
import { copyNumberFormat } from './copy-number/copy-number-profiles.ts';
import { geneLevels } from './copy-number/gene-levels.ts';
import { ownCopyNumber } from './copy-number/own.ts';
import { depMap } from './expression/depmap.ts';
import { expressionFormat } from './expression/expression-profiles.ts';
import { isSizeOfGct, ofSize } from './expression/gct.ts';
import { htseq, matrix } from './expression/matrix.ts';
import { ownExpression } from './expression/own.ts';
import { star } from './expression/star.ts';
import type { OpenFile, Opening, TabularFormat, TabularType } from './format.ts';
import { fusionFormat } from './fusion/fusion-profiles.ts';
import { ownFusion } from './fusion/own.ts';
import { inferredExpression, inferredFusions, inferredSegments } from './inferred-profile.ts';
import { mafFormat } from './maf/maf.ts';
import type { Profile } from './profile.ts';
import { profiles } from './profiles.ts';
import { refusalsOf, refuseKnown } from './refusals.ts';
import { openTable } from './row-names.ts';

/** Columns that a table must have, and those of them without another name. */
const columnCount = ({ recognised }: Profile): number =>
  100 * recognised.length + recognised.filter((names) => typeof names === 'string').length;

/** Formats of a type by the profiles of programs, those with more columns first. */
function profiled(type: TabularType): TabularFormat[] {
  return profiles
    .filter((profile) => profile.type === type)
    .toSorted((one, other) => columnCount(other) - columnCount(one))
    .map(formatOf);
}

function formatOf(profile: Profile): TabularFormat {
  if (profile.type === 'fusion') return fusionFormat(profile);
  if (profile.type === 'copynumber') return copyNumberFormat(profile);
  return profile.type === 'expression' ? expressionFormat(profile) : mafFormat(profile);
}

/** Format of the tables of unknown programs whose columns name what they hold. */
const inferred = (type: TabularType, infer: (opening: Opening) => Profile | undefined): TabularFormat => ({
  type,
  name: 'table of an unknown program',
  marksHeader: true,
  open: (opening) => {
    const profile = infer(opening);
    const file = profile && formatOf(profile).open(opening);
    return file && { ...file, remarks: () => [...(file.remarks?.() ?? []), byNames(type)] };
  },
});

const byNames = (type: TabularType): string =>
  `The program of this table is unknown: its columns were read by their names, which found.read lists.${
    type === 'fusion' ? ' Positions stay in attributes: whether they count from 0 or from 1 is unknown.' : ''
  }`;

/** The first format that fits a file counts. */
const formats: readonly TabularFormat[] = [
  ...[...profiled('maf'), refusalsOf('maf')],
  ...[...profiled('copynumber'), geneLevels, ownCopyNumber, refusalsOf('copynumber')],
  inferred('copynumber', inferredSegments),
  ...[...profiled('fusion'), ownFusion, refusalsOf('fusion')],
  inferred('fusion', inferredFusions),
  ...[...profiled('expression'), depMap, star, ownExpression, refusalsOf('expression'), matrix, htseq],
  inferred('expression', inferredExpression),
];

const recordsMax = 200;

/** File of columns, recognised by its beginning. */
export interface RecognisedFile {
  format: TabularFormat;
  file: OpenFile;
  delimiter: Delimiter;
  /** Lines before the first record. */
  linesBefore: number;
  /** Columns as the file names them; none of a file without a header. */
  header: Header | undefined;
  /** The first records. */
  records: readonly (readonly string[])[];
  /** Opens the file once more. */
  reopen(): OpenFile | undefined;
}

interface Recognition {
  /** Only formats of this type. */
  type?: TabularType;
  fileName: string;
  setId?: string;
  passOnly?: boolean;
  /** Set if the text is complete; otherwise its last line may be cut. */
  isWhole: boolean;
}

/**
 * Recognises a format by the first lines of a text; undefined for an unknown one. Throws `InputError` for known formats that are not
 * read.
 */
export function recogniseColumns(text: string, recognition: Recognition): RecognisedFile | undefined {
  const lines = linesOf(text, recognition.isWhole);
  const comments: string[] = [];
  let size: string | undefined;
  for (const [place, line] of lines.entries()) {
    // The size of a GCT of one sample looks like a line of HTSeq.
    if (isSizeOfGct(line, comments)) size = line;
    if (line.trim() === '' || line === size) continue;
    const found = ofSam.test(line) ? undefined : open(line, lines.slice(place + 1), comments, recognition);
    if (found) {
      const file = size === undefined ? found.file : ofSize(found.file, size);
      return { ...found, file, linesBefore: place + (file.isHeaderless ? 0 : 1) };
    }
    if (!isAbove(line)) return undefined;
    comments.push(line.replace(/^#/, ''));
  }
  return undefined;
}

/** Recognises a line of the header of a SAM (GATK), which is above that of the table. */
const ofSam = /^@(?:HD|SQ|RG|PG|CO)\t/;
const isAbove = (line: string): boolean => line.startsWith('#') || ofSam.test(line);

function linesOf(text: string, isWhole: boolean): string[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/);
  if (!isWhole || lines.at(-1) === '') lines.pop();
  return lines;
}

function open(
  line: string,
  lines: readonly string[],
  comments: readonly string[],
  { type, fileName, setId = '', passOnly = false }: Recognition,
): Omit<RecognisedFile, 'linesBefore'> | undefined {
  const isComment = line.startsWith('#');
  const headerLine = isComment ? line.slice(1) : line;
  const recordLines = lines.slice(0, recordsMax).filter((record) => record !== '');
  const delimiter = delimiterOf(headerLine, recordLines[0]);
  const names = namesIn(headerLine, delimiter);
  const records = recordLines.map((record) => fieldsIn(record, delimiter));
  // One name may be above names of rows and the values of one sample.
  if (names === undefined || (names.length < 2 && records[0]?.length !== 2)) return undefined;
  const header = new Header(names);
  const isTypeNamed = type !== undefined;
  const opening = { header, records, comments, fileName, isMarked: isComment, setId, passOnly, isTypeNamed };
  for (const format of formats) {
    if ((type !== undefined && format.type !== type) || (isComment && !format.marksHeader)) continue;
    const file = openTable(format, opening);
    const reopen = (): OpenFile | undefined => openTable(format, opening);
    const named = file?.isHeaderless ? undefined : header;
    if (file) return { format, file, delimiter, header: named, records, reopen };
  }
  refuseKnown(opening);
  return undefined;
}

/** Reads names; undefined where quotes are wrong (`gene, "sample_id"`): a column with a misread name would be confused with another one. */
function namesIn(line: string, delimiter: Delimiter): string[] | undefined {
  try {
    return fieldsOf(line, delimiter);
  } catch (error) {
    if (error instanceof RecordFault) return undefined;
    throw error;
  }
}

/** Wrong quotes are reported when the records are read. */
function fieldsIn(line: string, delimiter: Delimiter): string[] {
  try {
    return fieldsOf(line, delimiter);
  } catch (error) {
    if (error instanceof RecordFault) return line.split(delimiter);
    throw error;
  }
}
