/**
 * Contents of the file of the master key. The first line is the sealing key. Further lines during and after a
 * change of keys:
 * `derive: <key from which other keys are derived, if not the first>`
 * `older: <key that values may still be sealed with>`
 * Keys are 32 random bytes in base64.
 */
export interface MasterKeys {
  seal: Buffer;
  /** Keys for signatures and hashes follow from it; kept when only the sealing key changes. */
  derive: Buffer;
  older: Buffer[];
}

export const keyBytes = 32;

/** Reads the text of a key file. Throws, without showing any of it, for what is none. */
export function parseKeyFile(text: string): MasterKeys {
  const [first = '', ...more] = text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const seal = keyOf(first);
  const keys: MasterKeys = { seal, derive: seal, older: [] };
  for (const line of more) {
    const [, name, value = ''] = /^(derive|older): (\S+)$/.exec(line) ?? [];
    if (name === 'derive') keys.derive = keyOf(value);
    else keys.older.push(keyOf(name === 'older' ? value : ''));
  }
  return keys;
}

export function formatKeyFile({ seal, derive, older }: MasterKeys): string {
  const lines = [seal.toString('base64')];
  if (!derive.equals(seal)) lines.push(`derive: ${derive.toString('base64')}`);
  lines.push(...older.map((key) => `older: ${key.toString('base64')}`));
  return `${lines.join('\n')}\n`;
}

function keyOf(text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== keyBytes) throw new Error(`a key has ${key.length} bytes`);
  return key;
}
