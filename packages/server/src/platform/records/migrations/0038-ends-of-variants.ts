import type { Kysely } from 'kysely';

/**
 * The indexes of VCF files were built by END alone: regions did not find what SVLEN and LEN say to reach into them. The next who asks for a region has the index built
 * anew.
 */
export async function up(db: Kysely<{ variant_indexes: object }>): Promise<void> {
  await db.deleteFrom('variant_indexes').execute();
}
