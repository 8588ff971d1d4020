import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  type HeaderTags,
  type ReferenceSummary,
  type ReferencesSummary,
  type ScannedReads,
  SequenceDigest,
  sequencesMax,
  speciesTerm,
} from '@ploidy/formats';
import { ReferenceList } from '../reference-list.ts';

interface HeaderSequences {
  /** NDJSON of those that have a checksum. */
  listPath: string | undefined;
  checksumCount: number;
  sequences: ReferencesSummary;
}

/**
 * Sequences of the header: their names, and a list of those with a checksum, for comparison. When all have one, they are
 * registered.
 */
export async function writeSequences(
  folder: string,
  { header, sam }: ScannedReads,
): Promise<HeaderSequences> {
  const lengths = new Map(header.references.map(({ name, length }) => [name, length]));
  const agreed = sam.sequences.filter((tags) => !isDiffering(tags, lengths));
  const lines = new Map(agreed.map((tags) => [tags.get('SN') ?? '', tags]));
  const digest = new SequenceDigest(md5);
  const checked = header.references.filter(({ name }) => checksumOf(lines.get(name)) !== undefined);
  const checksumCount = checked.length;
  for (const { name, length } of header.references) digest.add(name, length, checksumOf(lines.get(name)));
  const checksum = digest.checksum();
  const sequences = {
    count: header.references.length,
    md5checksum: checksum ?? '',
    shape: digest.shape(),
    ...shared(sam.sequences),
  };
  if (checksumCount === 0 || sequences.count > sequencesMax)
    return { listPath: undefined, checksumCount, sequences };
  const list = await ReferenceList.create(join(folder, 'references.ndjson'));
  try {
    for (const { name, length } of checked) {
      await list.add(referenceOf(name, length, lines.get(name) ?? new Map()));
    }
  } finally {
    await list.close();
  }
  return { listPath: list.path, checksumCount, sequences };
}

/** Counts the lines of the text whose length differs from the binary list of sequences, by which reads are placed (SAM spec §4.2). */
export function differingLengths({ header, sam }: ScannedReads): number {
  const lengths = new Map(header.references.map(({ name, length }) => [name, length]));
  return sam.sequences.filter((tags) => isDiffering(tags, lengths)).length;
}

function isDiffering(tags: HeaderTags, lengths: ReadonlyMap<string, number>): boolean {
  const [own, length] = [tags.get('LN'), lengths.get(tags.get('SN') ?? '')];
  return own !== undefined && length !== undefined && Number(own) !== length;
}

/** Returns `M5`, when it is a checksum. */
function checksumOf(tags: HeaderTags | undefined): string | undefined {
  const value = tags?.get('M5')?.toLowerCase();
  return value !== undefined && /^[0-9a-f]{32}$/.test(value) ? value : undefined;
}

/** Tags of `@SQ` that have fields of their own. */
const sequenceTags = ['SN', 'LN', 'M5', 'UR', 'SP', 'AS'];

function referenceOf(name: string, length: number, tags: HeaderTags): ReferenceSummary {
  const [species, sourceUri, assemblyId] = [tags.get('SP'), tags.get('UR'), tags.get('AS')];
  return {
    name,
    length,
    md5checksum: checksumOf(tags) ?? '',
    offset: 0,
    ...(species && { species: speciesTerm(species) }),
    ...(sourceUri && { sourceUri }),
    ...(assemblyId && { assemblyId }),
    attributes: Object.fromEntries([...tags].filter(([tag]) => !sequenceTags.includes(tag))),
  };
}

/** Summarises the values that all lines share. */
function shared(lines: readonly HeaderTags[]): Partial<ReferencesSummary> {
  const same = (tag: string): string | undefined => {
    const first = lines[0]?.get(tag);
    return first && lines.every((tags) => tags.get(tag) === first) ? first : undefined;
  };
  const [assemblyId, species, sourceUri] = [same('AS'), same('SP'), same('UR')];
  return {
    ...(assemblyId !== undefined && { assemblyId }),
    ...(species !== undefined && { species: speciesTerm(species) }),
    ...(sourceUri !== undefined && { sourceUri }),
  };
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
