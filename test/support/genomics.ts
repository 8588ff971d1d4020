import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { readBamHeader } from '../../packages/formats/src/index.ts';
import type { TestApp } from './app.ts';
import { bgzf } from './bam.ts';
import { until } from './until.ts';

/** Uploads a BAM and waits until its read group set can be read; answers the set's id. */
export async function addReads(
  app: TestApp,
  project: string,
  name: string,
  bytes: Uint8Array,
): Promise<string> {
  const fileId = await app.put(project, name, bytes);
  const path = `/${app.account}/v1/readgroupsets`;
  const made = await app.call('POST', path, { body: { datasetId: project, name, fileId } });
  if (made.status !== 200) throw new Error(made.text);
  const { id } = made.body;
  await until(async () => {
    const { status, body } = await app.call('GET', `${path}/${id}`);
    if (body.status === 'FAILED') throw new Error(`${status} ${JSON.stringify(body)}`);
    return body.status === 'ACTIVE';
  }, 'the reads are indexed');
  return id;
}

/** Downloads and concatenates a ticket's blocks as a client does. The signed addresses need no credentials. */
export async function fetchTicket(ticket: { htsget: { urls: { url: string }[] } }): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (const { url } of ticket.htsget.urls) {
    const response = await fetch(url);
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
    parts.push(Buffer.from(await response.arrayBuffer()));
  }
  return Buffer.concat(parts);
}

/** Names of the reads in a BAM, in its order. */
export function readNames(bam: Buffer): string[] {
  const bytes = gunzipSync(bam);
  const header = readBamHeader(bytes);
  if (!('size' in header)) throw new Error('The header is not complete.');
  const names: string[] = [];
  for (let at = header.size; at < bytes.length; at += 4 + bytes.readInt32LE(at)) {
    names.push(bytes.toString('latin1', at + 36, at + 35 + bytes.readUInt8(at + 12)));
  }
  return names;
}

/** Record of a BAM, with its place. */
export interface PlacedRead {
  reference: number;
  /** 0-based, half-open. */
  start: number;
  end: number;
  /** The whole record, in base64. */
  bytes: string;
}

const consumesReference = new Set([0, 2, 3, 7, 8]);

/** Returns every record of a BAM with its place, and its sequences: read without our index, to hold it against. */
export function placedReads(bam: Buffer): {
  sequences: { name: string; length: number }[];
  reads: PlacedRead[];
} {
  const bytes = gunzipSync(bam);
  const header = readBamHeader(bytes);
  if (!('size' in header)) throw new Error('The header is not complete.');
  const reads: PlacedRead[] = [];
  for (let at = header.size; at < bytes.length; at += 4 + bytes.readInt32LE(at)) {
    const start = bytes.readInt32LE(at + 8);
    const cigar = at + 36 + bytes.readUInt8(at + 12);
    let length = 0;
    for (let operation = 0; operation < bytes.readUInt16LE(at + 16); operation += 1) {
      const value = bytes.readUInt32LE(cigar + operation * 4);
      if (consumesReference.has(value & 15)) length += value >>> 4;
    }
    const isUnmapped = (bytes.readUInt16LE(at + 18) & 4) !== 0;
    const end = start + (isUnmapped || length === 0 ? 1 : length);
    const record = bytes.toString('base64', at, at + 4 + bytes.readInt32LE(at));
    reads.push({ reference: bytes.readInt32LE(at + 4), start, end, bytes: record });
  }
  return { sequences: header.references, reads };
}

/** Bytes as `bgzip` makes blocks of them: full ones, wherever records end. */
export function bgzipped(content: Buffer): Buffer {
  return bgzf(content, { blockBytes: 0xff00 });
}

/** Reason why tests with samtools, bcftools, bgzip and tabix are skipped, or `false`. With `CI=true` they fail instead. */
export const htslibSkip: string | false =
  process.env['CI'] === 'true' || ['samtools', 'bcftools', 'bgzip', 'tabix'].every(isInstalled)
    ? false
    : 'samtools, bcftools or tabix is not installed: apt-get install samtools bcftools tabix.';

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(`${folder}/${program}`);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a program of others to its end; answers what it printed. */
export async function run(
  program: string,
  words: string[],
  environment: Record<string, string> = {},
): Promise<Buffer> {
  const { stdout } = await promisify(execFile)(program, words, {
    encoding: 'buffer',
    maxBuffer: 256 * 1024 * 1024,
    timeout: 60_000,
    env: { ...process.env, ...environment },
  });
  return stdout;
}
