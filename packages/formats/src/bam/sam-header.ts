/** The tags of a header line, by their two letters; of a tag that is repeated, the first. */
export type HeaderTags = ReadonlyMap<string, string>;

/** Header of a SAM or BAM as its lines state it (SAM spec §1.3). Missing lines remain missing: real headers have gaps. */
export interface SamHeader {
  /** `@HD`. */
  file: HeaderTags;
  /** `@SQ`. */
  sequences: HeaderTags[];
  /** `@RG`. */
  readGroups: HeaderTags[];
  /** `@PG`. */
  programs: HeaderTags[];
}

/** Reads the lines of a header. Malformed lines and fields are skipped. */
export function parseSamHeader(text: string): SamHeader {
  let file: HeaderTags = new Map();
  const lists: Record<string, HeaderTags[]> = { '@SQ': [], '@RG': [], '@PG': [] };
  for (const line of text.split(/\r?\n/)) {
    const kind = line.slice(0, 3);
    if (kind === '@HD') file = tagsOf(line);
    else lists[kind]?.push(tagsOf(line));
  }
  return {
    file,
    sequences: lists['@SQ'] ?? [],
    readGroups: lists['@RG'] ?? [],
    programs: lists['@PG'] ?? [],
  };
}

function tagsOf(line: string): HeaderTags {
  const tags = new Map<string, string>();
  for (const field of line.split('\t').slice(1)) {
    if (!/^[A-Za-z][A-Za-z0-9]:/.test(field)) continue;
    const name = field.slice(0, 2);
    if (!tags.has(name)) tags.set(name, field.slice(3));
  }
  return tags;
}
