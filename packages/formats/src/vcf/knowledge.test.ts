import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  annotationFrequency,
  annotationLayouts,
  chromosomeName,
  classicEffects,
  effectGroups,
  groupOfEffect,
  infoFrequency,
  parseVcfHeader,
  tables,
} from '../index.ts';

const described = (...lines: string[]) => annotationLayouts(parseVcfHeader(lines), new Map())[0];
const info = (key: string, description: string): string =>
  `##INFO=<ID=${key},Number=.,Type=String,Description="${description}">`;

describe('knowledge about annotated VCFs', () => {
  test('the parts of an annotation are at the places that its header names', () => {
    const vep = described(
      info(
        'CSQ',
        'Consequence annotations from Ensembl VEP. Format: Consequence|IMPACT|SYMBOL|Allele|MANE_SELECT|gnomADe_AF|MAX_AF_POPS',
      ),
    );
    assert.deepEqual(vep?.parts, { allele: 4, effect: 1, impact: 2, symbol: 3, maneSelect: 5 });
    assert.deepEqual(vep?.frequencies, [
      { name: 'gnomADe_AF', global: 'gnomadExomes', referenceFirst: false, place: 6 },
    ]);
    assert.equal(vep?.alleles, 'vep');
    const snpEff = described(
      info(
        'ANN',
        "Functional annotations: 'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID ' ",
      ),
    );
    assert.deepEqual(snpEff?.parts, { allele: 1, effect: 2, impact: 3, symbol: 4, geneId: 5 });
    assert.equal(snpEff?.alleles, 'alt');
  });

  test('a description of any length is read in linear time, and the list is the part after the last "Format:"', () => {
    const long = ['Format:', "'", "' '", "'\t\t"].map((text) => text.repeat(500_000)).join('x');
    assert.equal(described(info('CSQ', long))?.alleles, 'vep');
    assert.deepEqual(described(info('CSQ', `${long} Format: Format: Allele|SYMBOL`))?.parts, {
      allele: 1,
      symbol: 2,
    });
  });

  test('an annotation without a description is identified by its number of fields', () => {
    const bare = (key: string, fields: number) =>
      annotationLayouts(parseVcfHeader([]), new Map([[key, 'x|'.repeat(fields - 1)]]))[0];
    assert.equal(bare('ANN', 16)?.parts.aminoAcidChange, 11);
    assert.equal(bare('ANN', 23)?.parts.aminoAcidChange, 12);
    assert.equal(bare('CSQ', 23)?.alleles, 'vep');
    assert.equal(bare('EFF', 11)?.shape, 'classic');
    assert.deepEqual(annotationLayouts(parseVcfHeader([]), new Map()), []);
  });

  test('population frequencies are distinguished from counts and from a caller’s own frequency', () => {
    for (const name of [
      'AF',
      'MLEAF',
      'AC',
      'gnomADg_AC',
      'gnomAD_nhomalt',
      'VAF',
      'TUMOR_AF',
      'gnomADe_AF_POPS',
    ]) {
      assert.equal(infoFrequency(name), undefined, name);
    }
    assert.equal(infoFrequency('gnomADg_AF')?.global, 'gnomadGenomes');
    assert.equal(infoFrequency('gnomAD_exomes_AF')?.global, 'gnomadExomes');
    assert.deepEqual(infoFrequency('gnomAD_AF_popmax'), { name: 'gnomAD_AF_popmax', referenceFirst: false });
    assert.deepEqual(infoFrequency('CAF'), { name: 'CAF', global: 'thousandGenomes', referenceFirst: true });
    assert.equal(annotationFrequency('AF')?.global, 'thousandGenomes');
    assert.equal(annotationFrequency('MAX_AF')?.global, undefined);
    assert.equal(annotationFrequency('MAX_AF_POPS'), undefined);
  });

  test('a name of any length is classified as a population frequency in linear time', () => {
    assert.equal(infoFrequency(`gnomAD${'_AF_N'.repeat(500_000)}-`), undefined);
    assert.equal(annotationFrequency(`gnomAD${'_AF_N'.repeat(500_000)}pops`), undefined);
  });

  test('every old effect name has a term, and a term has one group', () => {
    assert.equal(groupOfEffect.size, Object.values(effectGroups).flat().length);
    assert.equal(groupOfEffect.get(classicEffects.get('NON_SYNONYMOUS_CODING') ?? ''), 'missense');
    assert.ok(tables.get('variant')?.columns.some(({ name }) => name === 'ebcanon_group'));
  });

  test('human chromosomes have one spelling', () => {
    assert.deepEqual(['1', 'chr22', 'CHRX', 'y', 'MT', 'chrM', '23', 'GL1'].map(chromosomeName), [
      'chr1',
      'chr22',
      'chrX',
      'chrY',
      'chrM',
      'chrM',
      '23',
      'GL1',
    ]);
    const accessions = ['NC_000001.11', 'NC_000022.10', 'NC_000023', 'nc_060948.1', 'NC_012920.1'];
    assert.deepEqual(accessions.map(chromosomeName), ['chr1', 'chr22', 'chrX', 'chrY', 'chrM']);
    for (const other of ['NC_000025.1', 'NC_000000.1', 'NC_060949.1', 'NC_000067.7', 'NT_113889.1', 'NC_1'])
      assert.equal(chromosomeName(other), other);
  });
});
