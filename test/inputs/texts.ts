/** FHIR NDJSON: so many patients, each with `observations` of them. Ids begin with `tag`. */
export function fhirText(tag: string, patients: number, observations = 0): string {
  const lines: string[] = [];
  for (let number = 0; number < patients; number += 1) {
    const id = `${tag}-${number}`;
    lines.push(JSON.stringify({ resourceType: 'Patient', id, gender: 'female', birthDate: '1970-05-17' }));
    for (let one = 0; one < observations; one += 1) lines.push(JSON.stringify(observationOf(id, one)));
  }
  return `${lines.join('\n')}\n`;
}

function observationOf(patient: string, number: number): object {
  return {
    resourceType: 'Observation',
    id: `${patient}-${number}`,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '718-7', display: 'Hemoglobin' }] },
    subject: { reference: `Patient/${patient}` },
    effectiveDateTime: '2024-02-03T04:05:06Z',
    valueQuantity: { value: 10 + (number % 50) / 10, unit: 'g/dL' },
  };
}

export const vcfHeader = (sample: string): string =>
  [
    '##fileformat=VCFv4.3',
    '##contig=<ID=1>',
    '##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">',
    `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}\n`,
  ].join('\n');

/** Builds a VCF of one sample with this number of records, each with one row. */
export function vcfText(sample: string, records: number): string {
  const lines = Array.from({ length: records }, (_, index) => vcfRecord(1000 + index * 10));
  return vcfHeader(sample) + lines.join('');
}

export const vcfRecord = (position: number): string => `1\t${position}\t.\tA\tG\t50\tPASS\t.\tGT\t0/1\n`;

/** Returns a VCF of what is known of alleles of chr1, without samples: `position ref alt id info`. */
export function knownText(...records: string[]): string {
  const lines = records.map((record) => {
    const [position, reference, alternate, id, info = '.'] = record.split(' ');
    return `chr1\t${position}\t${id}\t${reference}\t${alternate}\t.\t.\t${info}\n`;
  });
  return `##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n${lines.join('')}`;
}

/** Example files of each table with one or two rows of the sample. */
export const omicTexts = {
  maf: (sample: string): string =>
    [
      '#version 2.4',
      'Hugo_Symbol\tChromosome\tStart_Position\tReference_Allele\tTumor_Seq_Allele1\tTumor_Seq_Allele2\tTumor_Sample_Barcode',
      `BRAF\t7\t140753336\tA\tA\tT\t${sample}`,
      `TP53\t17\t7675088\tC\tC\tT\t${sample}\n`,
    ].join('\n'),
  copynumber: (sample: string): string =>
    `sample_id,gene,copy_number,chromosome,start_position,end_position,interpretation,caller\n${sample},CDKN2A,0,9,21967752,21995301,driver,x\n${sample},BRAF,3,7,140719327,140924929,,x\n`,
  fusion: (sample: string): string =>
    `sample_id,gene1,gene2,in_frame,interpretation,reads\n${sample},AKAP9,BRAF,yes,driver,12\n`,
  expression: (sample: string): string =>
    `sample_id,gene_id,gene_name,expression,expression_unit,batch\n${sample},ENSG00000157764,BRAF,42.5,tpm,b1\n`,
} as const;
