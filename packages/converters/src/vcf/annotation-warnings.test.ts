import assert from 'node:assert/strict';
import { test } from 'node:test';
import { convertText, vcf } from './conversion.fixture.ts';

test('annotations in an unsupported form are reported, unless the file has others', async () => {
  const warned = async (info: string): Promise<string[]> => {
    const { warnings } = await convertText(vcf([`1 5 . A C . . ${info}`]));
    return warnings.map(({ message }) => message);
  };
  const reported = (annotator: string, reason: string): string[] => [
    `The annotations of ${annotator} are not read, because ${reason}. Variants have no gene and no effect. Annotate the file with VEP or SnpEff.`,
  ];
  assert.deepEqual(
    await warned('FUNCOTATION=[G|hg38|1]'),
    reported('GATK Funcotator (INFO FUNCOTATION)', 'the header does not name their fields'),
  );
  assert.deepEqual(
    await warned('Func.mine=exonic;Gene.mine=G'),
    reported('ANNOVAR (INFO Gene.mine)', 'their gene table is unknown'),
  );
  assert.deepEqual(await warned('FUNCOTATION=[G|hg38|1];ANN=C|x|LOW|G'), []);
  assert.deepEqual(await warned('FUNCOTATION=[G|hg38|1];BCSQ=missense|G|T|protein_coding|+|5V>5E|5A>C'), []);
  assert.deepEqual(await warned('BCSQ=missense|G|T|protein_coding|+|5V>5E|5A>C'), []);
  assert.deepEqual(await warned('Func.refGene=exonic;Gene.refGene=G'), []);
});
