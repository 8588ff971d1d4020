/** Alleles beside a known reference are those of `bcftools norm`, for random insertions and deletions in repeats. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { TaskGenome } from '@ploidy/engine';
import fc from 'fast-check';
import { htslibSkip } from '../../../../test/support/genomics.ts';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { convertReferences } from '../genomics-conversion.fixture.ts';
import { convertFile, pick, vcf } from './conversion.fixture.ts';

const gt = '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">';

/** Repeats of one to four bases, and bases in between. */
const unit = fc.stringMatching(/^[ACGT]{1,4}$/);
const sequence = fc
  .array(fc.tuple(unit, fc.integer({ min: 1, max: 400 })), { minLength: 3, maxLength: 8 })
  .map((parts) => parts.map(([part, count]) => part.repeat(count)).join(''));
/** Place, length of the reference allele, and the alternate: a repeat of the bases there, or others. */
const change = fc.tuple(fc.nat(), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }), unit);

describe('alleles beside a reference', { skip: htslibSkip }, () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ploidy-aligned-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Writes a reference without transcripts. */
  async function genomeOf(bases: string): Promise<TaskGenome> {
    const outputFolder = join(folder, 'genome');
    await mkdir(outputFolder, { recursive: true });
    const fasta = `>chr1\n${bases}\n`;
    await writeFile(join(folder, 'ref.fa'), fasta);
    await rm(join(folder, 'ref.fa.fai'), { force: true });
    const { bytes, references } = await convertReferences(fasta);
    const basesPath = join(outputFolder, 'bases');
    await writeFile(basesPath, bytes);
    const modelsPath = join(outputFolder, 'models.parquet');
    const sql = await keptSql(256 << 20);
    await sql.run(
      `COPY (SELECT 'chr2' AS chromosome, 1 AS start_position, 't' AS transcript_id, '' AS model WHERE false) TO '${modelsPath}' (FORMAT parquet)`,
    );
    return { name: 'none', modelsPath, references: [{ basesPath, sequences: references }] };
  }

  test('place and bases are those of bcftools norm', async () => {
    const both = fc.asyncProperty(sequence, fc.array(change, { minLength: 200, maxLength: 300 }), check);
    await fc.assert(both, { numRuns: 10, seed: 3, endOnFailure: true });
  });

  async function check(bases: string, changes: [number, number, number, string][]): Promise<void> {
    const lines = changes
      .flatMap(([place, length, kept, other]) => {
        const at = 1 + (place % Math.max(1, bases.length - 12));
        const reference = bases.slice(at - 1, at - 1 + length);
        const deleted = reference.slice(0, kept);
        const inserted = `${reference}${bases.slice(at - 1, at - 1 + kept)}`;
        return [deleted, inserted, `${reference}${other}`, `${other}${reference}`]
          .filter((alternate) => alternate !== reference)
          .map((alternate) => `chr1 ${at} . ${reference} ${alternate} 50 PASS . GT 0/1`);
      })
      .sort((left, right) => Number(left.split(' ')[1]) - Number(right.split(' ')[1]));
    const genome = await genomeOf(bases);
    const meta = [`##contig=<ID=chr1,length=${bases.length}>`, gt];
    const text = vcf(lines, { meta, samples: ['S'] });
    const path = join(folder, 'in.vcf');
    await writeFile(path, text);
    const normal = spawnSync('bcftools', ['norm', '-f', join(folder, 'ref.fa'), path], { encoding: 'utf8' });
    assert.equal(normal.status, 0, normal.stderr);
    const expected = normal.stdout
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, position, , reference, alternate] = line.split('\t');
        return `${position} ${reference} ${alternate}`;
      });
    const made = await convertFile(path, {}, 256 << 20, undefined, [genome]);
    const found = pick(made.variants, 'position', 'reference', 'alternate');
    assert.deepEqual(found.toSorted(), expected.toSorted());
  }
});
