import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { newId } from '../../../base/ids.ts';
import type { Records } from '../../../platform/records/records.ts';
import { sealedColumn } from '../../../platform/secrets/sealed-column.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';

/** Key pair that signs API keys (ES256). The private half is stored only sealed. */
export interface SigningKey {
  id: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
}

const purpose = 'api-key';
const algorithm = 'ES256';
const contextOf = (id: string): string => `signing-key:${id}`;

export const sealedSigningKeys = sealedColumn('signing_keys', 'private_key_sealed', contextOf);

async function load(records: Records, secrets: Secrets): Promise<SigningKey | undefined> {
  const row = await records.read
    .selectFrom('signing_keys')
    .selectAll()
    .where('purpose', '=', purpose)
    .orderBy('created_at')
    .executeTakeFirst();
  if (!row) return undefined;
  const privateJwk = JSON.parse(unseal(secrets, row)) as JWK;
  return {
    id: row.id,
    privateKey: (await importJWK(privateJwk, algorithm)) as CryptoKey,
    publicKey: (await importJWK(JSON.parse(row.public_key) as JWK, algorithm)) as CryptoKey,
  };
}

/** Loads the key, creating it at the first start. Processes that start together share one. */
export async function openSigningKey(records: Records, secrets: Secrets): Promise<SigningKey> {
  const found = await load(records, secrets);
  if (found) return found;
  const pair = await generateKeyPair(algorithm, { extractable: true });
  const id = newId();
  const row = {
    id,
    purpose,
    algorithm,
    public_key: JSON.stringify(await exportJWK(pair.publicKey)),
    private_key_sealed: secrets.seal(JSON.stringify(await exportJWK(pair.privateKey)), contextOf(id)),
    created_at: Date.now(),
  };
  await records.transact((tx) =>
    tx
      .insertInto('signing_keys')
      .values(row)
      .onConflict((conflict) => conflict.column('purpose').doNothing())
      .execute(),
  );
  const made = await load(records, secrets);
  if (!made) throw new Error('the signing key that was just made cannot be read');
  return made;
}

function unseal(secrets: Secrets, row: { id: string; private_key_sealed: string }): string {
  try {
    return secrets.open(row.private_key_sealed, contextOf(row.id));
  } catch (cause) {
    throw new Error('The master key is not the one that these records were sealed with: restore its file.', {
      cause,
    });
  }
}
