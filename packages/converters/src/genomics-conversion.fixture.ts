/** Runs conversions of BAM, CRAM and FASTA for the tests of these folders. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account, ReferenceSummary } from '@ploidy/formats';
import type {
  ConversionOptions,
  ConvertedReads,
  ConvertedReferences,
  Warning,
} from '../../engine/src/conversion.ts';
import { convertBam } from './bam/convert.ts';
import { convertCram } from './cram/convert.ts';
import { convertFasta } from './fasta/convert.ts';
import { requireWithin } from './tables/account.fixture.ts';

const converters = { bam: convertBam, cram: convertCram, fasta: convertFasta };

export interface Converted<Made> {
  made: Made;
  /** The index, or the bases. */
  bytes: Buffer;
  references: ReferenceSummary[];
  warnings: Warning[];
  progress: [bytes: number, rows: number][];
  account: Account;
}

/** Converts bytes in a folder of their own, which is removed afterwards. */
export function convertReads(
  source: Uint8Array,
  options: ConversionOptions = {},
  index?: Uint8Array,
  type: 'bam' | 'cram' = 'bam',
): Promise<Converted<ConvertedReads>> {
  return convert(source, type, options, index) as Promise<Converted<ConvertedReads>>;
}

export function convertReferences(
  source: Uint8Array | string,
  options: ConversionOptions = {},
): Promise<Converted<ConvertedReferences>> {
  return convert(source, 'fasta', options) as Promise<Converted<ConvertedReferences>>;
}

async function convert(
  source: Uint8Array | string,
  type: keyof typeof converters,
  options: ConversionOptions,
  index?: Uint8Array,
): Promise<Converted<ConvertedReads | ConvertedReferences>> {
  const outputFolder = await mkdtemp(join(tmpdir(), 'ploidy-genomics-'));
  try {
    const sourcePath = join(outputFolder, 'source');
    await writeFile(sourcePath, source);
    const indexPath = join(outputFolder, 'source.bai');
    if (index) await writeFile(indexPath, index);
    const warnings: Warning[] = [];
    const progress: [number, number][] = [];
    const task = {
      type,
      sourcePath,
      ...(index && { indexPath }),
      sourceSize: source.length,
      sourceName: 'source',
      outputFolder,
      setId: 'set',
      options,
    };
    let account: Account | undefined;
    const made = await converters[type](task, {
      progress: (bytes, rows) => progress.push([bytes, rows]),
      warn: (warning) => warnings.push(warning),
      account: (given) => {
        account = given;
        requireWithin(given);
      },
    });
    assert.ok(account, 'the converter accounts for its records');
    const list = made.listPath === undefined ? '' : await readFile(made.listPath, 'utf8');
    const lines = list.split('\n').filter((line) => line !== '');
    const references = lines.map((line) => JSON.parse(line) as ReferenceSummary);
    return { made, bytes: await readFile(made.path), references, warnings, progress, account };
  } finally {
    await rm(outputFolder, { recursive: true });
  }
}
