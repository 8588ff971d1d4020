import { invalidInput, Problem } from '../../problem.ts';
import { type Static, Type } from '../../schema.ts';
import { invalidRange, unsupportedFormat } from './problem.ts';

/** Part of a sequence, 0-based, half-open; without bounds all of it. `*`: the reads without a place. */
export interface Region {
  referenceName: string;
  start: number;
  end: number;
}

/** What a ticket is wanted for; regions absent: everything. */
export interface TicketRequest {
  headerOnly: boolean;
  regions: Region[] | undefined;
}

/** Largest position that the standard knows: 32 bits, unsigned. */
const positionMax = 2 ** 32 - 1;
/** As many lines as a large panel has; exomes have more, and get whole sequences faster. */
const regionsMax = 10_000;

const text = (description: string) => Type.Optional(Type.String({ description }));

export const ticketQuery = Type.Object({
  format: text('The default is the only one'),
  class: text('`header`: nothing but the header'),
  referenceName: text(
    'A sequence; `chr1` and `1` mean the same where only one is there; `*`: reads without a place',
  ),
  start: text('0-based, inclusive'),
  end: text('0-based, exclusive'),
  fields: text('Checked; all fields are given'),
  tags: text('Checked; all tags are given'),
  notags: text('Checked; all tags are given'),
});

/** What clients should send: the handler reads the numbers, and refuses what is none in the words of the standard. */
export const describedTicketQuery = Type.Object({
  ...ticketQuery.properties,
  start: Type.Optional(Type.Integer({ minimum: 0, maximum: positionMax, description: '0-based, inclusive' })),
  end: Type.Optional(Type.Integer({ minimum: 0, maximum: positionMax, description: '0-based, exclusive' })),
});

const list = Type.Optional(Type.Array(Type.String(), { maxItems: 1000 }));
const position = Type.Optional(Type.Integer({ minimum: 0, maximum: positionMax }));

export const ticketBody = Type.Object({
  format: Type.Optional(Type.String()),
  class: Type.Optional(Type.String()),
  fields: list,
  tags: list,
  notags: list,
  regions: Type.Optional(
    Type.Array(
      Type.Object({ referenceName: Type.String({ minLength: 1 }), start: position, end: position }),
      { minItems: 1 },
    ),
  ),
});

/** The request of a GET. Problem 400 with the standard's name when it is not valid. */
export function readQuery(query: Static<typeof ticketQuery>, format: string): TicketRequest {
  if (isHeaderRequest(query, format)) return { headerOnly: true, regions: undefined };
  const lists = { fields: split(query.fields), tags: split(query.tags), notags: split(query.notags) };
  checkFields(lists, format, 'query');
  const { referenceName } = query;
  const start = readPosition(query.start, 'start');
  const end = readPosition(query.end, 'end');
  if (referenceName === undefined || referenceName === '*') {
    for (const [name, value] of Object.entries({ start, end })) {
      if (value !== undefined) throw invalid(`query/${name}`, 'needs a referenceName that is a sequence');
    }
  }
  if (referenceName === undefined) return { headerOnly: false, regions: undefined };
  if (referenceName === '') throw invalid('query/referenceName', 'is empty');
  const region = { referenceName, start: start ?? 0, end: end ?? positionMax };
  if (start !== undefined && region.start > region.end) throw backwards(region);
  return { headerOnly: false, regions: [region] };
}

/** The same of a POST. */
export function readBody(body: Static<typeof ticketBody>, format: string): TicketRequest {
  if (isHeaderRequest(body, format)) return { headerOnly: true, regions: undefined };
  checkFields(body, format, 'body');
  if ((body.regions?.length ?? 0) > regionsMax) {
    const message = `Ask for at most ${regionsMax} regions at a time, or for whole sequences.`;
    throw new Problem(413, 'TOO_LARGE', message);
  }
  const regions = body.regions?.map(({ referenceName, start = 0, end = positionMax }) => {
    if (referenceName === '*' && (start > 0 || end < positionMax)) {
      throw invalid('body/regions', 'gives a place to reads that have none (`*`)');
    }
    if (start >= end) throw backwards({ referenceName, start, end });
    return { referenceName, start, end };
  });
  return { headerOnly: false, regions };
}

/** What else is asked for beside a header is ignored: clients add it (@gmod/bam). */
function isHeaderRequest(asked: { format?: string; class?: string }, format: string): boolean {
  // In upper case by the text of the standard, in lower case by its example.
  if (asked.format !== undefined && asked.format.toUpperCase() !== format) {
    throw unsupportedFormat(`Only ${format} is given here.`);
  }
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

/** All fields and tags are given, as the standard allows; a list that contradicts itself is a mistake all the same. */
function checkFields({ fields, tags, notags }: FieldLists, format: string, part: string): void {
  const unknown = format === 'BAM' && fields?.find((one) => !fieldNames.has(one));
  if (unknown)
    throw invalid(
      `${part}/fields`,
      `names ${JSON.stringify(unknown.slice(0, 40))}, which is no field of BAM`,
    );
  const both = tags?.find((tag) => notags?.includes(tag));
  if (both !== undefined) throw invalid(`${part}/tags`, 'and notags name the same tag');
}

function split(value: string | undefined): string[] | undefined {
  return value?.split(',').filter((one) => one !== '');
}

function readPosition(value: string | undefined, name: string): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
  if (!(number <= positionMax)) throw invalid(`query/${name}`, 'is no whole number of 32 bits');
  return number;
}

const invalid = (path: string, message: string): Problem => invalidInput([{ path, message }]);

function backwards({ start, end }: Region): Problem {
  return invalidRange(`The region ends at ${end}, before it begins at ${start}.`);
}
