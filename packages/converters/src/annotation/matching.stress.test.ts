/** Alleles of variants are matched as `bcftools annotate` matches them after `bcftools norm` trimmed both files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { randomOf } from '../../../../samples/generator/random.ts';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type { Convert, ConvertedTable } from '../../../engine/src/conversion.ts';
import { convertVcf } from '../vcf/convert.ts';
import { convertAnnotation } from './convert-annotation.ts';
import { sameAllele } from './fill.ts';

const silent = { progress: () => undefined, warn: () => undefined, account: () => undefined };
const header = ['##fileformat=VCFv4.2', '##contig=<ID=1,length=100000>'];
const columns = '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO';
const known = '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="x">';
const genotype = '##FORMAT=<ID=GT,Number=1,Type=String,Description="x">';

interface Allele {
  position: number;
  reference: string;
  alternate: string;
}

/** Builds alleles over one random sequence, so that many of two files are equal; some have common bases at both ends. */
function alleles(seed: string, bases: string, count: number): Allele[] {
  const random = randomOf('alleles', seed);
  const all = Array.from({ length: count }, () => {
    const at = random.below(bases.length - 20);
    const before = random.below(3);
    const after = random.below(3);
    const removed = 1 + random.below(2);
    const added = Array.from({ length: random.below(3) }, () => 'ACGT'[random.below(4)]).join('');
    const [head, tail] = [
      bases.slice(at, at + before),
      bases.slice(at + before + removed, at + before + removed + after),
    ];
    const reference = head + bases.slice(at + before, at + before + removed) + tail;
    return { position: at + 1, reference, alternate: head + added + tail };
  });
  return all
    .filter(({ reference, alternate }) => alternate !== '' && alternate !== reference)
    .sort((left, right) => left.position - right.position);
}

function bcftools(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync('bcftools', words, { encoding: 'utf8', maxBuffer: 64 << 20 });
  assert.equal(status, 0, stderr);
  return stdout;
}

const missing = spawnSync('bcftools', ['--version']).error;

test('variants have the values of bcftools annotate', {
  skip: missing && process.env['CI'] !== 'true' ? 'bcftools is not installed' : false,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-matching-'));
  try {
    const random = randomOf('bases', 'matching');
    const bases = Array.from({ length: 400 }, () => 'ACGT'[random.below(4)]).join('');
    const own = alleles('own', bases, 4000);
    const values = alleles('known', bases, 4000);
    const line = ({ position, reference, alternate }: Allele): string =>
      `1\t${position}\t.\t${reference}\t${alternate}`;
    const [ownPath, knownPath] = [join(folder, 'own.vcf'), join(folder, 'known.vcf')];
    const records = own.map((one) => `${line(one)}\t50\tPASS\t.\tGT\t0/1`);
    await writeFile(ownPath, `${[...header, genotype, `${columns}\tFORMAT\tS`, ...records, ''].join('\n')}`);
    const lines = values.map((one, at) => `${line(one)}\t.\t.\tCLNSIG=v${at}`);
    await writeFile(knownPath, `${[...header, known, columns, ...lines, ''].join('\n')}`);

    const packed: string[] = [];
    for (const path of [ownPath, knownPath]) {
      await writeFile(join(folder, 'r.fa'), `>1\n${bases}${'A'.repeat(1000)}\n`);
      // Repeated alleles are left out: which of several values counts depends on the program.
      bcftools('norm', '-f', join(folder, 'r.fa'), '-d', 'exact', '-Oz', '-o', `${path}.gz`, path);
      bcftools('index', '-f', `${path}.gz`);
      packed.push(`${path}.gz`);
    }
    const [ownPacked = '', knownPacked = ''] = packed;
    const annotated = bcftools('annotate', '-a', knownPacked, '-c', 'INFO/CLNSIG', ownPacked);
    const theirs = annotated
      .split('\n')
      .filter((one) => one !== '' && !one.startsWith('#'))
      .map((one) => one.split('\t'));
    const expected = theirs
      .map(([, position, , reference, alternate, , , info = '']) =>
        [position, reference, alternate, /CLNSIG=(\w+)/.exec(info)?.[1] ?? '-'].join(' '),
      )
      .sort();

    const sql = await keptSql(256 << 20);
    const convert = async (convertFile: Convert, path: string, type: string): Promise<ConvertedTable[]> => {
      const outputFolder = await mkdtemp(join(folder, 'made-'));
      const task = {
        type,
        sourcePath: path,
        sourceSize: 1,
        sourceName: 'a.vcf',
        outputFolder,
        setId: 's',
        options: {},
      };
      return convertFile(task, sql, silent);
    };
    // Both programs read the shifted alleles: what is compared is the matching.
    const variants = (await convert(convertVcf, ownPacked, 'vcf')).find(({ table }) => table === 'variant');
    const annotations = (await convert(convertAnnotation, knownPacked, 'annotation'))[0];
    const rows =
      await sql.rows(`SELECT v.position, v.reference, v.alternate, a0.clinical_significance AS value
      FROM read_parquet('${variants?.path}') AS v LEFT JOIN read_parquet('${annotations?.path}') AS a0 ON ${sameAllele('a0')}`);
    const ours = rows
      .map((row) => [row['position'], row['reference'], row['alternate'], row['value'] ?? '-'].join(' '))
      .sort();
    assert.ok(expected.filter((one) => !one.endsWith('-')).length > 100, 'many alleles have a value');
    assert.deepEqual(ours, expected);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
