import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { ReferenceSummary } from '@ploidy/formats';

/** Characters gathered before a write. */
const gatherCharacters = 256 * 1024;

/** References on their way from a converter to the records: as NDJSON, because there may be a million of them. */
export class ReferenceList {
  readonly path: string;
  readonly #file: FileHandle;
  #lines: string[] = [];
  #characters = 0;

  private constructor(path: string, file: FileHandle) {
    this.path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<ReferenceList> {
    return new ReferenceList(path, await open(path, 'wx', 0o600));
  }

  async add(reference: ReferenceSummary): Promise<void> {
    const line = JSON.stringify(reference);
    this.#lines.push(line, '\n');
    this.#characters += line.length;
    if (this.#characters > gatherCharacters) await this.#flush();
  }

  async close(): Promise<void> {
    try {
      await this.#flush();
    } finally {
      await this.#file.close();
    }
  }

  async #flush(): Promise<void> {
    await this.#file.writeFile(this.#lines.join(''));
    this.#lines = [];
    this.#characters = 0;
  }
}

/** Reads the references of such a file in batches. */
export async function* readReferences(path: string, batchMax: number): AsyncGenerator<ReferenceSummary[]> {
  const source = createReadStream(path);
  let batch: ReferenceSummary[] = [];
  try {
    for await (const line of createInterface({ input: source, crlfDelay: Infinity })) {
      batch.push(JSON.parse(line) as ReferenceSummary);
      if (batch.length < batchMax) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  } finally {
    source.destroy();
  }
}
