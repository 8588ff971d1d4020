import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, vcf } from './conversion.fixture.ts';

test('annotations in a form that is not read are told, unless others are there', async () => {
  const warned = async (info: string): Promise<string[]> => {
    const { warnings } = await convertText(vcf([`1 5 . A C . . ${info}`]));
    return warnings.map(({ message }) => message);
  };
  const told = (annotator: string): string[] => [
    `The annotations of ${annotator} are not read, so that variants have no gene and no effect. Annotate the file with VEP or SnpEff.`,
  ];
  assert.deepEqual(
    await warned('BCSQ=missense|G|T|protein_coding|+|5V>5E|5A>C'),
    told('bcftools csq (INFO BCSQ)'),
  );
  assert.deepEqual(await warned('FUNCOTATION=[G|hg38|1]'), told('GATK Funcotator (INFO FUNCOTATION)'));
  assert.deepEqual(await warned('Func.refGene=exonic;Gene.refGene=G'), told('ANNOVAR (INFO Gene.refGene)'));
  assert.deepEqual(await warned('BCSQ=x|G|T|y;ANN=C|x|LOW|G'), []);
});
