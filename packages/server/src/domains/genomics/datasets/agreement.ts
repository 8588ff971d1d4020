import type { ReferenceSummary, ReferencesSummary } from '@ploidy/formats';
import type { Reader } from '../../../platform/records/records.ts';
import type { IngestionsTable } from '../../../platform/records/schema.ts';

/** References of a set read per batch. */
const pageRows = 5000;

/** Checksums that a header states for its sequences. */
export class HeaderChecksums {
  readonly #sequences = new Map<string, { length: number; checksum: string }>();

  /** `batches`: the header's sequences with a checksum. */
  static async read(batches: AsyncIterable<ReferenceSummary[]>): Promise<HeaderChecksums> {
    const checksums = new HeaderChecksums();
    for await (const batch of batches) {
      for (const { name, length, md5checksum } of batch)
        checksums.#sequences.set(name, { length, checksum: md5checksum });
    }
    return checksums;
  }

  /**
   * Reports whether a set has other bases under the name of a sequence. Without that name (`chr1`, `1`), whether it has only
   * other bases of that length. The reads were then aligned to something else.
   */
  async contradict(db: Reader, set: string): Promise<boolean> {
    const [named, checksumsOfLength] = [new Set<string>(), new Map<number, Set<string>>()];
    for await (const { name, length, md5checksum } of referencesOf(db, set)) {
      const stated = this.#sequences.get(name);
      if (stated !== undefined && md5checksum !== '' && stated.checksum !== md5checksum) return true;
      if (stated !== undefined) named.add(name);
      else if (md5checksum !== '')
        checksumsOfLength.set(length, (checksumsOfLength.get(length) ?? new Set()).add(md5checksum));
    }
    return [...this.#sequences].some(([name, { length, checksum }]) => {
      const others = named.has(name) ? undefined : checksumsOfLength.get(length);
      return others !== undefined && !others.has(checksum);
    });
  }

  /** Lists the sets of the project with equal names and lengths, or the same assembly, that agree with the header. */
  async agreeing(
    db: Reader,
    { project_id: project }: Pick<IngestionsTable, 'project_id'>,
    { shape, assemblyId }: ReferencesSummary,
  ): Promise<Set<string>> {
    const candidates = await db
      .selectFrom('reference_sets')
      .select('id')
      .where('status', '=', 'ACTIVE')
      .where('project_id', '=', project)
      .where((where) =>
        where.or([
          where('sequences_shape', '=', shape),
          ...(assemblyId === undefined ? [] : [where('assembly_id', '=', assemblyId)]),
        ]),
      )
      .execute();
    const agreeing = new Set<string>();
    for (const { id } of candidates) if (!(await this.contradict(db, id))) agreeing.add(id);
    return agreeing;
  }
}

async function* referencesOf(db: Reader, set: string) {
  for (let last = -1; ; ) {
    const page = await db
      .selectFrom('genome_references')
      .select(['position', 'name', 'length', 'md5checksum'])
      .where('set_id', '=', set)
      .where('position', '>', last)
      .orderBy('position')
      .limit(pageRows)
      .execute();
    yield* page;
    if (page.length < pageRows) return;
    last = Number(page.at(-1)?.position);
  }
}
