import { type Static, Type } from 'typebox';
import { readInteger } from '../../../base/numbers.ts';
import { invalidInput, Problem } from '../../../base/problem.ts';
import { invalidRange, unsupportedFormat } from './problem.ts';

/** Range of a sequence, 0-based, half-open; whole without bounds. `*`: unplaced reads. */
export interface Region {
  referenceName: string;
  start: number;
  end: number;
}

/** Content of a ticket; without regions, everything. */
export interface TicketRequest {
  /** Format in upper case; absent: that of the file. */
  format: string | undefined;
  headerOnly: boolean;
  regions: Region[] | undefined;
}

/** Largest position of the standard: unsigned 32 bits. */
const positionMax = 2 ** 32 - 1;
/** Maximum regions: the number of lines of a large panel. Exomes have more; whole sequences serve them faster. */
const regionsMax = 10_000;

const referenceNameWords =
  'A sequence; `chr1` and `1` mean the same where only one is there; `*`: reads without a place';
const fieldsWords = 'Validated; all fields are returned';
const tagsWords = 'Validated; all tags are returned';
const text = (description: string) => Type.Optional(Type.String({ description }));

export const ticketQuery = Type.Object({
  format: text('Format of the file, which is the default, or of one of the same name beside it'),
  class: text('`header`: nothing but the header'),
  referenceName: text(referenceNameWords),
  start: text('0-based, inclusive'),
  end: text('0-based, exclusive'),
  fields: text(fieldsWords),
  tags: text(tagsWords),
  notags: text(tagsWords),
});

/** Documented query. The handler parses numbers itself, to answer invalid ones with the standard's errors. */
export const describedTicketQuery = Type.Object({
  ...ticketQuery.properties,
  start: Type.Optional(Type.Integer({ minimum: 0, maximum: positionMax, description: '0-based, inclusive' })),
  end: Type.Optional(Type.Integer({ minimum: 0, maximum: positionMax, description: '0-based, exclusive' })),
});

const { properties: described } = describedTicketQuery;
const list = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: 1000, description }));

export const ticketBody = Type.Object({
  format: described.format,
  class: described.class,
  fields: list(fieldsWords),
  tags: list(tagsWords),
  notags: list(tagsWords),
  regions: Type.Optional(
    Type.Array(
      Type.Object({
        referenceName: Type.String({ minLength: 1, description: referenceNameWords }),
        start: described.start,
        end: described.end,
      }),
      { minItems: 1, description: 'Regions, any of which a record overlaps; absent: all records' },
    ),
  ),
});

/** Parses the request of a GET. Problem 400 with the standard's error name if invalid. */
export function readQuery(query: Static<typeof ticketQuery>, kind: Formats): TicketRequest {
  const format = readFormat(query, kind);
  if (isHeaderRequest(query)) return { format, headerOnly: true, regions: undefined };
  const lists = { fields: split(query.fields), tags: split(query.tags), notags: split(query.notags) };
  checkFields(lists, kind, 'query');
  const { referenceName } = query;
  const start = readPosition(query.start, 'start');
  const end = readPosition(query.end, 'end');
  if (referenceName === undefined || referenceName === '*') {
    for (const [name, value] of Object.entries({ start, end })) {
      if (value !== undefined) throw invalid(`query/${name}`, 'needs a referenceName that is a sequence');
    }
  }
  if (referenceName === undefined) return { format, headerOnly: false, regions: undefined };
  if (referenceName === '') throw invalid('query/referenceName', 'is empty');
  const region = { referenceName, start: start ?? 0, end: end ?? positionMax };
  if (start !== undefined && region.start > region.end) throw backwards(region);
  return { format, headerOnly: false, regions: [region] };
}

/** Parses the request of a POST. */
export function readBody(body: Static<typeof ticketBody>, kind: Formats): TicketRequest {
  const format = readFormat(body, kind);
  if (isHeaderRequest(body)) return { format, headerOnly: true, regions: undefined };
  checkFields(body, kind, 'body');
  if ((body.regions?.length ?? 0) > regionsMax) {
    const message = `Request at most ${regionsMax} regions at a time, or whole sequences.`;
    throw new Problem(413, 'TOO_LARGE', message);
  }
  const regions = body.regions?.map(({ referenceName, start = 0, end = positionMax }) => {
    if (referenceName === '*' && (start > 0 || end < positionMax)) {
      throw invalid('body/regions', 'gives a place to reads that have none (`*`)');
    }
    if (start >= end) throw backwards({ referenceName, start, end });
    return { referenceName, start, end };
  });
  return { format, headerOnly: false, regions };
}

/** Kind of records, and the formats that they may have. */
interface Formats {
  name: 'reads' | 'variants';
  formats: readonly string[];
}

/** Returns the named format: upper case in the standard's text, lower case in its example. */
function readFormat(asked: { format?: string }, { formats }: Formats): string | undefined {
  const format = asked.format?.toUpperCase();
  if (format === undefined || formats.includes(format)) return format;
  throw unsupportedFormat(`Only ${formats.join(' and ')} are available here.`);
}

/** Ignores other parameters of a header request: some clients add them (@gmod/bam). */
function isHeaderRequest(asked: { class?: string }): boolean {
  if (asked.class !== undefined && asked.class !== 'header') {
    throw invalid('class', 'is `header`, or absent for everything');
  }
  return asked.class === 'header';
}

const fieldNames = new Set('QNAME FLAG RNAME POS MAPQ CIGAR RNEXT PNEXT TLEN SEQ QUAL'.split(' '));

interface FieldLists {
  fields?: string[] | undefined;
  tags?: string[] | undefined;
  notags?: string[] | undefined;
}

/** Validates the lists of fields and tags. All are returned, as the standard allows, but contradictory lists are errors. */
function checkFields({ fields, tags, notags }: FieldLists, { name }: Formats, part: string): void {
  const unknown = name === 'reads' && fields?.find((one) => !fieldNames.has(one));
  if (unknown)
    throw invalid(
      `${part}/fields`,
      `names ${JSON.stringify(unknown.slice(0, 40))}, which is no field of a read`,
    );
  const both = tags?.find((tag) => notags?.includes(tag));
  if (both !== undefined) throw invalid(`${part}/tags`, 'and notags name the same tag');
}

function split(value: string | undefined): string[] | undefined {
  return value?.split(',').filter((one) => one !== '');
}

function readPosition(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  const number = readInteger(value, { min: 0, max: positionMax });
  if (number === undefined) throw invalid(`query/${name}`, 'is no whole number of 32 bits');
  return number;
}

const invalid = (path: string, message: string): Problem => invalidInput([{ path, message }]);

function backwards({ start, end }: Region): Problem {
  return invalidRange(`The region ends at ${end}, before it begins at ${start}.`);
}
