import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Caller } from '../../../access/caller.ts';
import type { Located } from '../../../api/route.ts';
import { newId } from '../../../base/ids.ts';
import { conflict, Problem } from '../../../base/problem.ts';
import type { FilesTable, IngestionsTable } from '../../../platform/records/schema.ts';
import type { Uploads } from '../../files/index.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import type { IngestionReport } from './ingestion-outcome.ts';

/** Person or program that sends a Bundle, with the request that does it. */
interface SentBy {
  caller: Caller;
  requestId: string;
  signal: AbortSignal;
}

/** Ingestion with the attributes of its file that decide who knows it; null once the file is deleted. */
export interface FiledIngestion extends IngestionsTable {
  file_owner_id: string | null;
  file_origin: FilesTable['origin'] | null;
}

/** Ingestions of files, which another area runs. */
export interface FhirIngestions {
  /** Queues the ingestion of a file as FHIR. */
  start(file: FilesTable, by: Pick<SentBy, 'caller' | 'requestId'>): Promise<{ id: string }>;
  /** Finds the newest ingestion of a file. */
  newestOf(file: FilesTable, caller: Caller): Promise<{ id: string } | undefined>;
  /** Locates an ingestion for a caller who reads it; with `toCancel`, for one who cancels it. */
  locate(id: string, caller: Caller, toCancel?: boolean): Promise<Located<FiledIngestion> | undefined>;
  /** Describes an ingestion to a caller. */
  report(row: FiledIngestion, caller: Caller): Promise<IngestionReport>;
  cancel(row: FiledIngestion, by: Pick<SentBy, 'caller' | 'requestId'>): Promise<void>;
}

/** Body of a POST to the base. */
export interface SentBundle {
  stream: Readable;
  contentType: string;
  /** Number of bytes; undefined if the client does not announce it. */
  size: number | undefined;
  md5: string | undefined;
  idempotencyKey: string | undefined;
}

/** Stores what clients post to the base as files of the project, and has it ingested. */
export class IncomingBundles {
  readonly #uploads: Uploads;
  readonly ingestions: FhirIngestions;

  constructor(uploads: Uploads, ingestions: FhirIngestions) {
    this.#uploads = uploads;
    this.ingestions = ingestions;
  }

  /**
   * Stores the bytes as they are, then queues their ingestion; returns its id. The idempotency key names the file, so that a repetition
   * finds it: comparing the bodies needs no memory for them. Problem 422 for another body under the same key.
   */
  async take(project: ProjectRecord, sent: SentBundle, by: SentBy): Promise<string> {
    const { idempotencyKey: key } = sent;
    if (key === undefined) {
      const file = await this.#store(project, `fhir/${newId()}.json`, sent, by);
      return (await this.ingestions.start(file, by)).id;
    }
    const digest = createHash('sha256')
      .update(JSON.stringify([by.caller.rightsKey, key]))
      .digest('hex');
    const name = `fhir/${digest}.json`;
    const first = await this.#uploads.replaced(project.id, { name, overwrite: true });
    if (!first) {
      const file = await this.#store(project, name, sent, by);
      return (await this.ingestions.start(file, by)).id;
    }
    if ((await digestOf(sent.stream)) !== first.sha256) {
      const message = 'This Idempotency-Key was used for another body: send a new one.';
      throw new Problem(422, 'IDEMPOTENCY_KEY_REUSED', message);
    }
    // An interruption may have stored the file alone.
    const started = await this.ingestions.newestOf(first, by.caller);
    return (started ?? (await this.ingestions.start(first, by))).id;
  }

  async #store(
    project: ProjectRecord,
    name: string,
    { stream, contentType, size, md5 }: SentBundle,
    { caller, requestId, signal }: SentBy,
  ): Promise<FilesTable> {
    const input = { name, contentType, ...(size !== undefined && { size }) };
    const upload = await this.#uploads.begin(project, input, { caller, requestId, replaced: undefined });
    try {
      return await this.#uploads.receive(upload, { stream, md5, signal, requestId });
    } catch (error) {
      // Another request with the same key was faster.
      if (!(error instanceof Problem) || error.code !== 'FILE_EXISTS') throw error;
      const message = 'The first request with this Idempotency-Key is not finished.';
      throw conflict('IDEMPOTENCY_KEY_BUSY', message);
    }
  }
}

async function digestOf(stream: Readable): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of stream) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
