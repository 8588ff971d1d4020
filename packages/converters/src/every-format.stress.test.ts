/**
 * Every format of the registry is converted from damaged files in processes with a memory limit, several at once. No process
 * exceeds it, hangs or fails otherwise.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { EngineError } from '@ploidy/engine';
import { smallGenome } from '../../../samples/generator/small-genome.ts';
import { bgzf } from '../../../test/support/bam.ts';
import { generator, mutated, mutatedText } from '../../../test/support/mutations.ts';
import { useEngine } from '../../engine/src/engine.fixture.ts';
import { converters, type SourceType } from './registry.ts';
import { tarGz, zip } from './study/archives.fixture.ts';
import { studyFolder } from './study/study-folder.fixture.ts';

const mebibyte = 1024 ** 2;
/** Three kinds of damage, each with both ways to go on at an error. */
const rounds = 6;
const atOnce = 3;

const samples = join(import.meta.dirname, '../../../samples/data');
const sample = (path: string): Buffer => readFileSync(join(samples, path)).subarray(0, 200_000);
const cram = (name: string): Buffer =>
  readFileSync(join(import.meta.dirname, '../../../test/inputs/cram', name));
const first = (folder: string, ending: string): Buffer => {
  const name = readdirSync(join(samples, folder)).find((one) => one.endsWith(ending));
  assert.ok(name, `${folder} has no file that ends with ${ending}`);
  return readFileSync(join(samples, folder, name));
};

const text = 'text';
const binary = 'binary';
/** Blocks of gzip: their content is damaged, and packed again with right checksums. */
const blocks = 'blocks';

interface Source {
  kind: typeof text | typeof binary | typeof blocks;
  bytes: () => Buffer;
  /** Bytes of the file beside it. */
  index?: () => Buffer;
}

const vcf: Source[] = [
  { kind: text, bytes: () => sample('vcf/SYN0001.vcf') },
  { kind: blocks, bytes: () => sample('vcf/SYN0001.vcf') },
];
const sources: Record<SourceType | 'vcf-index', Source[]> = {
  vcf,
  annotation: vcf,
  'vcf-index': vcf,
  maf: [
    {
      kind: text,
      bytes: () =>
        Buffer.from(
          'Hugo_Symbol\tChromosome\tStart_Position\tReference_Allele\tTumor_Seq_Allele2\tTumor_Sample_Barcode\tNCBI_Build\n' +
            'TP53\tchr17\t7674220\tC\tT\tS1\tGRCh38\n'.repeat(200),
        ),
    },
  ],
  copynumber: [{ kind: text, bytes: () => sample('omic/copynumber.csv') }],
  fusion: [{ kind: text, bytes: () => sample('omic/fusion.csv') }],
  expression: [{ kind: text, bytes: () => sample('omic/expression.csv') }],
  fhir: [
    { kind: text, bytes: () => sample('fhir/Patient.ndjson') },
    { kind: text, bytes: () => sample('fhir/syn-0007.bundle.json') },
    { kind: binary, bytes: () => gzipSync(sample('fhir/Condition.ndjson')) },
  ],
  cbioportal: [
    { kind: binary, bytes: () => tarGz(studyFolder(20).files) },
    { kind: binary, bytes: () => gunzipSync(tarGz(studyFolder(20).files)) },
    { kind: binary, bytes: () => zip(studyFolder(20).files) },
  ],
  table: [
    { kind: text, bytes: () => Buffer.from(`key,a,b\n${'1,2,x\n'.repeat(300)}`) },
    { kind: text, bytes: () => Buffer.from('{"key":"1","a":[1,{"b":2}]}\n'.repeat(200)) },
    { kind: binary, bytes: () => readFileSync(join(opened.lake.folder, 'variant.parquet')) },
  ],
  bam: [
    { kind: binary, bytes: () => first('bam', '.bam') },
    { kind: blocks, bytes: () => gunzipSync(first('bam', '.bam')).subarray(0, 500_000) },
    {
      kind: binary,
      bytes: () => first('bam', '.bam'),
      index: () => Buffer.from(`BAI\u0001${'\u0001\u0000\u0000\u0000'.repeat(40)}`, 'latin1'),
    },
  ],
  cram: [
    { kind: binary, bytes: () => cram('embedded.cram') },
    { kind: binary, bytes: () => cram('reference.cram') },
  ],
  gff3: [{ kind: text, bytes: () => Buffer.from(smallGenome(1, 6).gff3) }],
  fasta: [{ kind: text, bytes: () => cram('reference.fa') }],
};

const opened = useEngine({
  query: { idleWorkers: 0 },
  conversion: {
    idleWorkers: 1,
    concurrentMax: atOnce,
    memoryMaxBytes: 128 * mebibyte,
    residentMaxBytes: 512 * mebibyte,
    outputMaxBytes: 256 * mebibyte,
    temporaryMaxBytes: 256 * mebibyte,
    runTimeMaxMs: 60_000,
  },
});

/** Writes a much too large length of four or eight bytes at any place. */
function lying(bytes: Buffer, random: (below: number) => number): Buffer {
  const changed = Buffer.from(bytes);
  if (changed.length < 9) return changed;
  // Most lengths are at the beginning.
  const at = random(random(2) === 0 ? Math.min(changed.length - 8, 256) : changed.length - 8);
  const said = [0x7fffffff, 0x10000000, 0x00ffffff, 0xfffffff0][random(4)] ?? 0;
  changed.writeUInt32LE(said, at);
  if (random(4) === 0) changed.writeUInt32LE(random(16), at + 4);
  return changed;
}

const insertions = [
  '__proto__',
  'constructor',
  '{"__proto__":{"polluted":1}}',
  'x'.repeat(70_000),
  '['.repeat(5000),
  '"',
  '\u0000',
];

function damaged({ kind, bytes }: Source, round: number, random: (below: number) => number): Buffer {
  const whole = bytes();
  if (kind === blocks) return bgzf(round % 3 === 0 ? mutated(whole, random) : lying(whole, random));
  if (kind === binary) return round % 3 === 0 ? mutated(whole, random) : lying(whole, random);
  if (round % 3 !== 0) return mutatedText(whole, random);
  const at = random(whole.length);
  const insertion = Buffer.from(insertions[random(insertions.length)] ?? '');
  return Buffer.concat([whole.subarray(0, at), insertion, whole.subarray(at)]);
}

test("every converter of users' files has a source here", () => {
  // `annotated` and `derived` read files of the service itself.
  assert.deepEqual(
    Object.keys(sources).sort(),
    Object.keys(converters)
      .filter((name) => !['annotated', 'derived'].includes(name))
      .sort(),
  );
});

for (const [type, kinds] of Object.entries(sources)) {
  // asvs: 5.2.3
  test(`damaged files taken as ${type}, ${atOnce} at once, end converted or refused with a reason`, async () => {
    const random = generator(20261129);
    const tasks = kinds.flatMap((source, at) =>
      Array.from({ length: rounds }, (_, round) => ({ source, round, name: `${type}-${at}-${round}` })),
    );
    const ends = new Map<string, number>();
    const failures: string[] = [];
    const convert = async ({ source, round, name }: (typeof tasks)[number], bytes: Buffer): Promise<void> => {
      const sourcePath = join(opened.lake.folder, name);
      writeFileSync(sourcePath, bytes);
      const outputFolder = join(opened.lake.folder, `${name}.out`);
      mkdirSync(outputFolder);
      const { index } = source;
      const indexPath = `${sourcePath}.bai`;
      if (index) writeFileSync(indexPath, lying(index(), random));
      const task = {
        ...{ type, sourcePath, sourceSize: bytes.length, sourceName: name, outputFolder, setId: 'set' },
        ...(index && { indexPath }),
        options: {
          onError: round % 2 === 0 ? ('skip' as const) : ('fail' as const),
          ...(type === 'table' && { table: { name: 'odd' } }),
        },
      };
      const end = await opened.engine.convert(task, new AbortController().signal).then(
        () => 'converted',
        (error: unknown) => {
          if (error instanceof EngineError && error.code === 'INPUT' && error.message.length > 10)
            return 'refused';
          const reason = error instanceof EngineError ? `${error.code} ${error.message}` : String(error);
          failures.push(`${name}: ${reason}`);
          return 'failed';
        },
      );
      ends.set(end, (ends.get(end) ?? 0) + 1);
    };
    const waiting = tasks.map((one) => ({ one, bytes: damaged(one.source, one.round, random) }));
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
          await convert(next.one, next.bytes);
      }),
    );
    assert.deepEqual(failures, []);
    assert.equal((ends.get('converted') ?? 0) + (ends.get('refused') ?? 0), tasks.length);
  });
}
