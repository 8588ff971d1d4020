/** VCF files of public bug reports: values are those of the specification, or absent. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { endOfFileBlock } from '@ploidy/formats';
import { bgzf } from '../../../../test/support/bam.ts';
import { type Conversion, convertFile, convertText, pick, vcf } from './conversion.fixture.ts';

const warned = ({ warnings }: Conversion): string => warnings.map(({ message }) => message).join();
const columns = ['#CHROM', 'POS', 'ID', 'REF', 'ALT', 'QUAL', 'FILTER', 'INFO', 'FORMAT'].join('\t');

test('genotypes of any ploidy are carried as they are written, and two alleles without a separator are none', async () => {
  const cases: [report: string, alternates: string, sample: string, expected: string][] = [
    ['HapCUT2 11', 'C,G', '0:2', ''],
    ['SINGER 46', 'C,G', '2', 'G 1'],
    ['shapeit5 99', 'C', '1', 'C 1'],
    ['vcf2phylip 13', 'C', '1|.', 'C 1|.'],
    ['cms 71', 'C', '.', ''],
    ['PyVCF 93', 'C', '0/.', ''],
    ['vcfR 37', 'C', '1/0', 'C 1/0'],
    ['cyvcf2 37', 'C,<*:DEL>', '2/2', ''],
    ['cyvcf2 37', 'C,<*:DEL>', '1/2', 'C 1/0'],
    ['cyvcf2 315', 'C', '1|1:20', 'C 1|1'],
    ['bcftools 40', 'A,AAC', '0/0/1/1/2/2', 'A 0/0/1/1/0/0,AAC 0/0/0/0/1/1'],
  ];
  for (const [report, alternates, sample, expected] of cases) {
    const conversion = await convertText(
      vcf([`1 5 . T ${alternates} . . . GT:X ${sample}`], { samples: ['S'] }),
    );
    assert.equal(pick(conversion.variants, 'alternate', 'genotype').join(), expected, report);
    assert.equal(warned(conversion).replace(/^None of the 1 records.*/, ''), '', report);
  }
  for (const genotype of ['01', '00', '1/01', '00/1', '0\\1'])
    await assert.rejects(
      convertText(vcf([`1 5 . T C . . . GT ${genotype}`], { samples: ['S'] })),
      { name: 'InputError', message: /genotype \(GT\) in column 10 cannot be read/ },
      genotype,
    );
});

test('fields of samples are those that FORMAT of the line names', async () => {
  const calls = async (...lines: string[]): Promise<string[]> => {
    const records = lines.map((line, at) => `1 ${at + 1} . T ${line}`);
    return pick(
      (await convertText(vcf(records, { samples: ['S'] }))).calls,
      'depth',
      'genotype_quality',
      'alternate_depth',
    );
  };
  // bcftools 2078, hts-specs 251: of a repeated key the first counts.
  assert.deepEqual(await calls('C . . . GT:DP:GT:DP 0/1:5:1/1:9'), ['5 - -']);
  // goby 1: another FORMAT of the same length.
  assert.deepEqual(await calls('C . . . GT:GQ:DP 0/1:9:7', 'C . . . GT:GX:DP 0/1:9:7'), ['7 9 -', '7 - -']);
  // gonomics 663, svaba 32, htslib 999, bcftools 1789: none, one value, more reads than the depth, more than 32 bits.
  assert.deepEqual(await calls('C,G . . . GT:AD:DP 1/2:.:.'), ['- - -', '- - -']);
  assert.deepEqual(await calls('C . . . GT:AD:DP 0/1:12:0'), ['0 - 12']);
  assert.deepEqual(await calls('C . . . GT:AD:DP 0/1:1,2:42949672950'), ['- - 2']);
  assert.deepEqual(await calls('C . . . GT:AD:DP 0/1:1,2:1e400'), ['- - 2']);
});

test('depths are those of the alleles in header and alternates, or absent', async () => {
  const calls = async (line: string, number = 'R'): Promise<string> => {
    const meta = [`##FORMAT=<ID=AD,Number=${number},Type=Integer,Description="x">`];
    const { calls: rows } = await convertText(vcf([`1 5 . T ${line}`], { meta, samples: ['S'] }));
    return pick(rows, 'reference_depth', 'alternate_depth', 'allele_fraction').join();
  };
  const cases: [report: string, line: string, expected: string, number?: string][] = [
    ['HiFiCNV 31', 'C . . . GT:AD 0/1:30', '- - -'],
    ['svaba 50', 'C . . . GT:AD:DP 0/1:30:12', '- 30 -', '1'],
    ['deepvariant 341', 'A,<*> . . . GT:AD:VAF 0/1:3,4:0.5,0', '- - 0.5'],
    ['Clair3 365', 'A,<NON_REF> . . . GT:AD:AF 0/1:6,2,0:0.4', '6 2 0.25'],
    ['opencga 587', '<NON_REF> . . END=9 GT:AD 0/0:7,0', ''],
    ['GLnexus 326', 'C,G . . . GT:AD 0/1:.,3,16', '- 3 -'],
    ['GLnexus 254', 'C . . . GT:AD ./1:.,78', '- 78 -'],
    ['bcftools 1457, 189', 'TT . . . GT:AD 0/1:32,3,9,0', '- - -'],
    ['bcftools 1499', 'C . . . GT:AD 1/0:196,24', '196 24 0.10909090909090909'],
  ];
  for (const [report, line, expected, number] of cases)
    assert.equal(await calls(line, number), expected, report);
  // freebayes 367: blocks without a base are refused with their line.
  const block = convertText(vcf(['1 5 . . <*> . . END=9']));
  await assert.rejects(block, { name: 'InputError', message: /^Line 3 .* REF is not made of bases/ });
});

test('numbers keep their digits, however large or small', async () => {
  const { variants } = await convertText(
    vcf(['1 5 . T C . . RS=2148352434;gnomAD_AF=1.20781e-48', '1 6 rs2148352434 T C . . AF_TGP=4.9e-324']),
  );
  // bcftools 1961, bcftools 970.
  const values = pick(variants, 'rs_id', 'population_allele_frequency');
  assert.deepEqual(values, ['rs2148352434 1.20781e-48', 'rs2148352434 5e-324']);
});

test('names of samples may hold blanks; columns are separated by tabs alone', async () => {
  const head = (...samples: string[]): string =>
    `##fileformat=VCFv4.2\n##FILTER=<ID=q>   \n${[columns, ...samples].join('\t')}\n`;
  const line = (count: number): string => `1\t5\t.\tT\tC\t.\t.\t.\tGT${'\t0/1'.repeat(count)}\n`;
  // wormtable 18, gemini 477, varcode 158; blanks behind a header line: vt 33.
  const { variants } = await convertText(head('10176 ACC', 'medullary thyroid') + line(2));
  assert.deepEqual(pick(variants, 'sample_id'), ['10176 ACC', 'medullary thyroid']);
  // bcftools 1163, svict 10, htslib 1328, vcf-validator: tabs too many, blanks for tabs.
  for (const text of [
    head('a', '', 'b') + line(3),
    head('a').replaceAll('\t', ' ') + line(1),
    head('a') + line(1).replaceAll('\t', ' '),
  ])
    await assert.rejects(convertText(text), { name: 'InputError' });
});

test('variants that a file has twice are counted in a warning, by sample', async () => {
  const warning = async (lines: string[], samples = ['S', 'T']): Promise<string> =>
    warned(await convertText(vcf(lines, { samples })));
  const cases: [report: string, lines: string[], count: number][] = [
    ['MIP 135, lofreq 74', ['1 5 . T C . . . GT 0/1 0/0', '1 5 . T C . . . GT 1/1 0/0'], 1],
    ['vcf-validator 227', ['1 5 . T TA . . . GT 0/1 0/1', '1 6 . C A,AC . . . GT 0/0 0/2'], 0],
    ['cactus 1493', ['1 5 . TA CA . . . GT 0/1 1/1', '1 5 . T G,C . . . GT 0/2 1/2'], 2],
    ['of different samples', ['1 5 . T C . . . GT 0/1 0/0', '1 5 . T C . . . GT 0/0 0/1'], 0],
    [
      'three times, not in order',
      [
        '1 5 . T C . . . GT 0/1 .',
        '1 4 . T C . . . GT 0/1 .',
        '1 5 . T C . . . GT 0/1 .',
        '1 5 . T C . . . GT 0/1 .',
      ],
      2,
    ],
  ];
  for (const [report, lines, count] of cases)
    assert.match(
      await warning(lines),
      count === 0 ? /^$/ : new RegExp(`^At least ${count} rows repeat`),
      report,
    );
  assert.match(await warning(['1 5 . T C . . .', '1 5 . T C . . .'], []), /^At least 1 rows repeat/);
});

test('keys of INFO that repeat, headers that define twice, and alternates that are none', async () => {
  const meta = [1, 2].map((at) => `##INFO=<ID=CLNDN,Number=${at},Type=String,Description="${at}">`);
  // PyVCF 221, vcfnp 10.
  const { variants } = await convertText(vcf(['1 5 . T C . . CLNDN=a;CLNDN=b'], { meta }));
  assert.deepEqual(pick(variants, 'clinical_disease'), ['a']);
  // octopus 212.
  await assert.rejects(convertText(vcf(['1 5 . GC G,*C . . .'])), {
    name: 'InputError',
    message: /ALT is not a list/,
  });
});

test('chromosomes by accessions of GenBank are those of the build, in breakends too', async () => {
  const records = [
    'CM000663.2 5 . T C . . . GT 0/1',
    'CM000665.2 9 b T T[CM000686.2:7[ . . SVTYPE=BND GT 0/1',
  ];
  const conversion = await convertText(vcf([...records, 'J01415.2 3 . A G . . . GT 1'], { samples: ['S'] }));
  // SvAnna 107.
  assert.deepEqual(pick(conversion.variants, 'chromosome'), ['chr1', 'chrM']);
  assert.deepEqual(pick(conversion.fusions, 'chromosome1', 'chromosome2'), ['chr3 chrY']);
  assert.equal(conversion.tables[0]?.genomeBuild, 'GRCh38');
});

// bcftools 2175, vcfR 155.
test('INFO is not of the only sample once others were taken out', async () => {
  const records = ['1 5 . T C . . DP=7288;DP4=1,2,3,4 GT 0/1', '1 50 . N <CNV> . . END=90;CN=4 GT 0/1'];
  const read = async (command: string): Promise<string[]> => {
    const meta = [`##bcftools_viewCommand=view ${command} in.vcf.gz; Date=x`];
    const conversion = await convertText(vcf(records, { meta, samples: ['S'] }));
    const values = [
      pick(conversion.calls, 'depth', 'alternate_depth'),
      pick(conversion.copies, 'copy_number'),
    ];
    return [...values.map(String), warned(conversion).slice(0, 22)];
  };
  for (const command of ['-s S', '-Oz -SS.txt', '--samples=S', '--samples-file S.txt -Ou'])
    assert.deepEqual(await read(command), ['- -', '-', 'Samples were removed f'], command);
  for (const command of ['-i QUAL>3', '-Os', '-m2 -v snps'])
    assert.deepEqual(await read(command), ['7288 7', '4', ''], command);
});

// Sarek 494: the header is of GRCh37, the positions are of GRCh38.
test('positions beyond the end of a chromosome in the build of the file are warned of', async () => {
  const read = async (records: string[], meta: string[], options = {}): Promise<string> =>
    warned(await convertText(vcf(records, { meta, samples: ['S'] }), options));
  const contig = ['##contig=<ID=17,length=81195210>'];
  const late = '17 81195211 . A G . . . GT 0/1';
  assert.match(
    await read([late], contig),
    /^1 rows of variant are beyond the end of their chromosome in GRCh37/,
  );
  assert.match(await read([late], [], { genomeBuild: 'GRCh37' }), /beyond the end .* GRCh37/);
  const copies = '17 83000000 . N <DEL> . . END=83000100 GT 0/1';
  assert.match(await read([copies], contig), /^1 rows of copynumber are beyond/);
  for (const [record, meta] of [
    [late, []],
    [late, ['##contig=<ID=17,length=83257441>']],
    ['17 81195210 . A G . . . GT 0/1', contig],
    ['GL000192.1 99999999 . A G . . . GT 0/1', contig],
  ] as const)
    assert.equal(await read([record], [...meta]), '', record);
});

// open-cravat 117, 23andme2vcf 14.
test('positions of the old chrM of hg19 are warned of, if the file has any', async () => {
  const warning = async (contig: string, chromosome: string): Promise<string> =>
    warned(await convertText(vcf([`${chromosome} 150 . T C . . .`], { meta: [`##contig=<${contig}>`] })));
  assert.match(await warning('ID=chrM,length=16571', 'chrM'), /^chrM of the file is NC_001807/);
  assert.match(await warning('length=16571,assembly=hg19,ID=M', 'M'), /^chrM of the file is NC_001807/);
  for (const [contig, chromosome] of [
    ['ID=chrM,length=16571', 'chr1'],
    ['ID=MT,length=16569', 'MT'],
    ['ID=chrUn,length=16571', 'chrM'],
  ] as const)
    assert.equal(await warning(contig, chromosome), '', contig);
});

// htslib 45, htsjdk 1813, fastp 712: files joined by `cat`, so that empty blocks are between others.
test('empty blocks of BGZF end nothing, whatever the blocks are divided among', async () => {
  const lines = Array.from({ length: 300 }, (_, at) => `1 ${at + 1} . A G . . . GT 0/1`);
  const packed = bgzf(Buffer.from(vcf(lines, { samples: ['S'] })), { blockBytes: 500 });
  const blocks: Uint8Array[] = [];
  for (let at = 0; at < packed.length; at += packed.readUInt16LE(at + 16) + 1) {
    const block = packed.subarray(at, at + packed.readUInt16LE(at + 16) + 1);
    blocks.push(endOfFileBlock, block, endOfFileBlock);
  }
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-reported-'));
  try {
    const path = join(folder, 'a.vcf.gz');
    await writeFile(path, Buffer.concat(blocks));
    for (const threadCount of [1, 2]) {
      const { variants } = await convertFile(path, {}, 256 << 20, { stretchBytes: 700, threadCount });
      assert.equal(variants.length, 300);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
