import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BcfText } from '@ploidy/formats';
import { generator, mutatedText } from '../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertText } from './conversion.fixture.ts';

const noBcftools = spawnSync('bcftools', ['--version']).error ? 'bcftools is not installed' : false;
const names = [
  'HG002_GIAB.filtered.vcf.gz',
  'cyvcf2_test.vcf.gz',
  'sample1-bcbio-cancer.vcf.gz',
  'spec-v4.3.vcf.gz',
  '1kgPhase3.chr1.vcf.gz',
  '1kg.3.annotations.chr1.vcf.gz',
];

function bcftools(args: string[], input?: Uint8Array): Buffer {
  const { stdout, status, stderr } = spawnSync('bcftools', args, { maxBuffer: 1 << 29, input });
  assert.equal(status, 0, stderr.toString());
  return stdout;
}

const bcfOf = (name: string): Buffer => bcftools(['view', '-Ob', sharedData(`vcf/${name}`)]);

/** Records of a BCF that arrives in chunks of a size. */
function recordsOf(bcf: Uint8Array, chunkBytes: number): string {
  const text = new BcfText();
  let read = '';
  for (let at = 0; at < bcf.length; at += chunkBytes)
    read += Buffer.from(text.add(bcf.subarray(at, at + chunkBytes))).toString('utf8');
  text.end();
  return read.replaceAll(/^#.*\n/gm, '');
}

describe('BCF', { skip: sharedDataSkip || noBcftools }, () => {
  for (const name of names) {
    test(`${name} as BCF has the records that bcftools prints, in chunks of any size`, () => {
      const bcf = bcfOf(name);
      const printed = bcftools(['view', '-H'], bcf).toString('utf8');
      for (const chunkBytes of [1 << 16, 4093]) assert.equal(recordsOf(gunzipSync(bcf), chunkBytes), printed);
    });
  }

  test('a BCF has the rows of the text that bcftools prints', async () => {
    for (const name of ['sample1-bcbio-cancer.vcf.gz', 'spec-v4.3.vcf.gz', '1kgPhase3.chr1.vcf.gz']) {
      const bcf = bcfOf(name);
      const [own, expected] = [await convertText(bcf), await convertText(bcftools(['view'], bcf))];
      const rows = ({ variants, calls, copies, fusions, sequences }: typeof own) => ({
        ...{ variants, calls, copies, fusions, sequences },
      });
      assert.deepEqual(rows(own), rows(expected), name);
    }
  });

  test('a truncated BCF is refused wherever it ends', async () => {
    const bytes = gunzipSync(bcfOf('spec-v4.3.vcf.gz'));
    for (let size = 1; size < bytes.length; size += 97) {
      const text = new BcfText();
      const read = () => {
        text.add(bytes.subarray(0, size));
        text.end();
      };
      try {
        read();
      } catch (error) {
        assert.match(String(error), /not complete/, String(size));
      }
    }
    await assert.rejects(convertText(gzipSync(bytes.subarray(0, -3))), /ends in the middle of a record/);
    await assert.rejects(
      convertText(bcfOf('spec-v4.3.vcf.gz').subarray(0, -28)),
      /has no BGZF end-of-file block/,
    );
  });

  test('a mutated BCF ends in rows or an InputError, nothing else', async () => {
    const random = generator(20261128);
    for (const name of ['spec-v4.3.vcf.gz', '1kgPhase3.chr1.vcf.gz', 'sample1-bcbio-cancer.vcf.gz']) {
      const bytes = gunzipSync(bcfOf(name));
      for (let round = 0; round < 60; round += 1) {
        const source = Buffer.from(mutatedText(bytes, random));
        try {
          await convertText(gzipSync(source));
        } catch (error) {
          assert.ok(error instanceof Error && error.name === 'InputError', `${name}, ${round}: ${error}`);
        }
      }
    }
  });
});
