import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { sharedData, sharedDataSkip } from '../../../../test/support/shared-data.ts';
import { convertFile } from './conversion.fixture.ts';

const noBcftools = spawnSync('bcftools', ['--version']).error ? 'bcftools is not installed' : false;

/** Format for bcftools of depth, quality of the genotype, depths of the alleles and phase set; `.` for keys that the file lacks. */
const files: Record<string, string> = {
  'HG002_GIAB.filtered.vcf.gz': '%DP %GQ . %PS',
  'cyvcf2_test.vcf.gz': '%DP %GQ %AD .',
  'sample1-bcbio-cancer.vcf.gz': '%DP %GQ %AD .',
};

describe('calls of real files', { skip: sharedDataSkip || noBcftools }, () => {
  for (const [name, fields] of Object.entries(files))
    test(`${name} has the filters, qualities and depths that bcftools prints`, async () => {
      const path = sharedData(`vcf/${name}`);
      const format = `%QUAL %FILTER %ALT %GT %SAMPLE ${fields}`;
      const { stdout } = spawnSync('bcftools', ['query', '-f', `[${format}\\n]`, path], {
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      });
      const expected = new Set(stdout.trimEnd().split('\n').flatMap(printed));
      const { calls } = await convertFile(path);
      const own = new Set(
        calls.map((row) =>
          text([
            ...[row['sample_id'], row['quality'], row['filter'], row['depth'], row['genotype_quality']],
            ...[row['reference_depth'], row['alternate_depth'], row['phase_set']],
          ]),
        ),
      );
      assert.ok(own.size > 5);
      assert.deepEqual([...own].toSorted(), [...expected].toSorted());
    });
});

/** Returns the calls of a line of bcftools, one for each alternate that the sample carries. */
function printed(line: string): string[] {
  const [quality, filter, alternates = '', genotype = '', sample, depth, gq, depths = '', phaseSet] =
    line.split(' ');
  return alternates.split(',').flatMap((alternate, index) => {
    if (!/^[A-Z]+$/i.test(alternate)) return [];
    if (!genotype.split(/[|/]/).includes(String(index + 1))) return [];
    const all = depths.split(',');
    const isList = all.length === alternates.split(',').length + 1;
    const [reference, own] = isList ? [all[0], all[index + 1]] : ['.', '.'];
    return [text([sample, quality, filter, depth, gq, reference, own, phaseSet])];
  });
}

function text([sample, quality, filter, ...numbers]: readonly unknown[]): string {
  const numeric = (value: unknown): unknown =>
    value === undefined || value === null || value === '.' ? null : Number(value);
  return JSON.stringify([sample, ...[quality, ...numbers].map(numeric), filter === '.' ? null : filter]);
}
