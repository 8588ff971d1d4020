import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const snpEff =
  '##INFO=<ID=ANN,Number=.,Type=String,Description="Functional annotations: \'Allele | Annotation | Annotation_Impact | Gene_Name | Gene_ID | Feature_Type | Feature_ID | Transcript_BioType | Rank | HGVS.c | HGVS.p | cDNA | CDS | AA | Distance | ERRORS\' ">';
const vep = (names: string): string =>
  `##INFO=<ID=CSQ,Number=.,Type=String,Description="Consequence annotations from Ensembl VEP. Format: ${names}">`;
const names =
  'Allele|Consequence|IMPACT|SYMBOL|Gene|Feature|BIOTYPE|HGVSp|CANONICAL|MANE_SELECT|Existing_variation|AF|MAX_AF|CLIN_SIG';

const rowsOf = async (
  meta: string,
  alleles: string,
  value: string,
  ...columns: string[]
): Promise<string[]> => {
  const { variants } = await convertText(
    vcf([`1 5 . ${alleles} . . ${value}`], { meta: meta === '' ? [] : [meta] }),
  );
  return pick(variants, ...columns).toSorted();
};
const csq = (alleles: string, annotations: string[], ...columns: string[]): Promise<string[]> =>
  rowsOf(vep(names), alleles, `CSQ=${annotations.join(',')}`, ...columns);

describe('annotations', () => {
  test('each gene has one row, from the transcript that speaks for it', async () => {
    const transcript = (
      gene: string,
      name: string,
      biotype: string,
      impact: string,
      canonical = '',
      mane = '',
    ): string => `C|x|${impact}|${gene}|E|${name}|${biotype}||${canonical}|${mane}||||`;
    const chosen = (...annotations: string[]): Promise<string[]> =>
      csq('A C', annotations, 'gene', 'transcript_id');
    assert.deepEqual(
      await chosen(
        transcript('A', 'first', 'protein_coding', 'HIGH'),
        transcript('A', 'canonical', 'lncRNA', 'LOW', 'YES'),
        transcript('A', 'mane', 'lncRNA', 'MODIFIER', '', 'NM_1'),
        transcript('B', 'high', 'lncRNA', 'HIGH'),
        transcript('B', 'coding', 'protein_coding', 'LOW'),
        transcript('B', 'graver', 'protein_coding', 'MODERATE'),
        transcript('B', 'later', 'protein_coding', 'MODERATE'),
        transcript('C', 'one', 'x', 'x'),
        transcript('C', 'two', 'x', 'x'),
      ),
      ['A mane', 'B graver', 'C one'],
    );
  });

  test("the value of VEP's MANE names the set of a transcript, and MANE_SELECT takes precedence", async () => {
    const [select, plus] = ['MANE_Select', 'MANE_Plus_Clinical'];
    const chosen = (fields: string, ...annotations: string[]): Promise<string[]> =>
      rowsOf(
        vep(`Allele|IMPACT|SYMBOL|Feature|${fields}`),
        'A C',
        `CSQ=${annotations.join(',')}`,
        'transcript_id',
      );
    assert.deepEqual(
      await chosen(
        'CANONICAL|MANE|MANE_SELECT|MANE_PLUS_CLINICAL',
        `C|HIGH|G|PLUS||${plus}||NM_2.1`,
        `C|LOW|G|SELECT|YES|${select}|NM_1.1|`,
      ),
      ['SELECT'],
    );
    assert.deepEqual(await chosen('MANE', `C|HIGH|G|PLUS|${plus}`, `C|LOW|G|SELECT|${select}`), ['SELECT']);
    assert.deepEqual(await chosen('MANE', `C|HIGH|G|PLAIN|`, `C|LOW|G|PLUS|${plus}`), ['PLUS']);
    // In older versions it holds the transcript of MANE Select.
    assert.deepEqual(await chosen('MANE', `C|HIGH|G|PLAIN|`, `C|LOW|G|SELECT|NM_1.1`), ['SELECT']);
  });

  test('a bracket that closes too early in EFF harms no row of the file', async () => {
    const broken = ['INTRON(HIGH|F|C|p.(Arg97Gln)|12|G', 'X(A)|b|c', 'INTRON(LOW|F|C|A|1|G|coding|C|T1|1|1)'];
    const records = broken.map((effect, at) => `1 ${at + 5} . A C . . EFF=${effect}`);
    const { variants } = await convertText(vcf(records, {}));
    assert.deepEqual(pick(variants, 'position', 'impact', 'gene', 'biotype'), [
      '5 HIGH 12 -',
      '6 A) - -',
      '7 LOW G coding',
    ]);
  });

  test('a long list of fields takes memory only for those that an annotation has', async () => {
    const many = `Allele|SYMBOL|${Array.from({ length: 50_000 }, (_, at) => `f${at}`).join('|')}|BIOTYPE`;
    const annotations = Array.from({ length: 20_000 }, () => 'C|BRCA1');
    const value = `CSQ=${annotations.join(',')}`;
    assert.deepEqual(await rowsOf(vep(many), 'A C', value, 'gene', 'biotype'), ['BRCA1 -']);
  });

  test('an annotation without a gene counts only when all lack one', async () => {
    const regulatory = 'C|regulatory_region_variant|MODIFIER|||ENSR1|open_chromatin||||';
    assert.deepEqual(await csq('A C', [regulatory], 'gene', 'ebcanon_class', 'transcript_id'), [
      '- regulatory_region_variant ENSR1',
    ]);
    assert.deepEqual(
      await csq('A C', [regulatory, 'C|missense_variant|MODERATE|G|E|T|x||||'], 'gene', 'ebcanon_class'),
      ['G missense_variant'],
    );
    assert.deepEqual(await csq('A C', ['C|missense_variant|MODERATE||ENSG1|T|x||||'], 'gene'), ['ENSG1']);
  });

  test('a number identifies the alternate, unless it is missing or the record was split after annotation', async () => {
    const named = 'Allele|Consequence|IMPACT|SYMBOL|HGVSp|ALLELE_NUM';
    const rows = (alleles: string, ...annotations: string[]): Promise<string[]> =>
      rowsOf(vep(named), alleles, `CSQ=${annotations.join(',')}`, 'alternate', 'gene', 'impact');
    const [low, high] = ['C|synonymous_variant|LOW|A|p.=|1', 'G|stop_gained|HIGH|A|p.Ter|2'];
    assert.deepEqual(await rows('A C,G', low, high), ['C A LOW', 'G A HIGH']);
    assert.deepEqual(await rows('A G', low, high), ['G A HIGH']);
    assert.deepEqual(await rows('A C', low, high), ['C A LOW']);
    // As VEP writes alleles that it has trimmed, one by one.
    const [gone, less] = ['-|frameshift_variant|HIGH|A||1', '-|inframe_deletion|MODERATE|A||2'];
    assert.deepEqual(await rows('CAAG C,CG', gone, less), ['C A HIGH', 'C A MODERATE']);
    const without = ['C|synonymous_variant|LOW|A||', 'G|stop_gained|HIGH|B||'];
    assert.deepEqual(await rows('A C,G', ...without), ['C A LOW', 'G B HIGH']);
  });

  test('without an annotation there is one row without a gene', async () => {
    assert.deepEqual(await rowsOf(snpEff, 'A C,G', 'DP=1', 'alternate', 'gene', 'impact'), [
      'C - -',
      'G - -',
    ]);
  });

  test("VEP's spelling of alleles is understood: without the first base, `-` for nothing", async () => {
    const of = (allele: string): string => `${allele}|x|LOW|gene_${allele}|E|T|b||||`;
    assert.deepEqual(await csq('CA C,CAA', [of('-'), of('AA')], 'alternate', 'gene'), [
      'C gene_-',
      'CA gene_AA',
    ]);
    assert.deepEqual(await csq('A AA,AAA', [of('A'), of('AA')], 'alternate', 'gene'), [
      'AA gene_A',
      'AAA gene_AA',
    ]);
    assert.deepEqual(await csq('A AT,T', [of('AT'), of('T')], 'alternate', 'gene'), [
      'AT gene_AT',
      'T gene_T',
    ]);
    assert.deepEqual(await csq('CA *,C', [of('-')], 'alternate', 'gene'), ['C gene_-']);
    // The length of every ALT counts; one with a `*` has no first base (Parser/VCF.pm).
    assert.deepEqual(await csq('AT A,<*>', [of('-')], 'alternate', 'gene'), ['A gene_-']);
    assert.deepEqual(await csq('A AT,<*>', [of('T')], 'alternate', 'gene'), ['AT gene_T']);
    assert.deepEqual(await csq('AT AG,*', [of('G')], 'alternate', 'gene'), ['G gene_G']);
    assert.deepEqual(await csq('A G,<*>', [of('G')], 'alternate', 'gene'), ['G gene_G']);
    // --minimal: C[A]G and CA[] of CAG, each trimmed by itself.
    assert.deepEqual(await csq('CAG CTG,CA', [of('T'), of('-')], 'alternate', 'gene'), [
      'A gene_-',
      'T gene_T',
    ]);
  });

  test('with several alternates an annotation of none of them is dropped, with one there is no doubt', async () => {
    assert.deepEqual(await csq('A C,G', ['T|x|LOW|G|E|T|b||||'], 'alternate', 'gene'), ['C -', 'G -']);
    const meta = [vep(names)];
    const reported = async (annotation: string) =>
      (await convertText(vcf([`1 5 . A C,G . . CSQ=${annotation}|x|LOW|G|E|T|b||||`], { meta }))).warnings
        .length;
    // Annotated with --pick, one alternate has none.
    assert.deepEqual([await reported('T'), await reported('C')], [1, 0]);
    assert.deepEqual(await csq('A C', ['T|x|LOW|G|E|T|b||||'], 'alternate', 'gene'), ['C G']);
    // A multi-allelic record that was split keeps the annotations of all alleles.
    assert.deepEqual(await csq('A C', ['C|x|LOW|OWN|E|T|b||||', 'G|x|HIGH|OTHER|E|T|b||||'], 'gene'), [
      'OWN',
    ]);
  });

  test('ALLELE_NUM decides when there is one', async () => {
    const meta = vep('Allele|SYMBOL|ALLELE_NUM');
    assert.deepEqual(await rowsOf(meta, 'A C,G', 'CSQ=C|ONE|1,C|TWO|2', 'alternate', 'gene'), [
      'C ONE',
      'G TWO',
    ]);
  });

  test("facts of VEP about a variant fill the columns that the record's own fields leave open", async () => {
    const columns = [
      'rs_id',
      'cosmic_id',
      'minimum_allele_frequency',
      'maximum_allele_frequency',
      'population_allele_frequency',
      'clinical_significance',
      'amino_acid_change',
      'is_canonical',
    ];
    const annotation =
      'C|missense_variant|MODERATE|G|E|T|b|ENSP1.2:p.Arg9%3D|YES||rs12&COSV5|0.25|C:0.5|pathogenic';
    assert.deepEqual(await csq('A C', [annotation], ...columns), [
      'rs12 COSV5 0.25 0.5 0.25 pathogenic p.Arg9= true',
    ]);
    // Several values count if they agree (ensembl-vep 576, 620).
    assert.deepEqual(await csq('A C', ['C|x|LOW|G|E|T|b|||||0.1&0.10&.||'], ...columns), [
      '- - 0.1 0.1 0.1 - - false',
    ]);
    assert.deepEqual(await csq('A C', ['C|x|LOW|G|E|T|b|||||0.1&0.2||'], ...columns), [
      '- - - - - - - false',
    ]);
    // VEP before 89 (exac_browser 83).
    assert.deepEqual(await csq('A C', ['C|x|LOW|G|E|T|b|E.1:c.861A>G(p.%3D)||||||'], 'amino_acid_change'), [
      'p.=',
    ]);
  });

  test('the gravest term that has a group is the class', async () => {
    const effect = (terms: string): Promise<string[]> =>
      csq('A C', [`C|${terms}|LOW|G|E|T|b||||`], 'ebcanon_class', 'ebcanon_group');
    assert.deepEqual(await effect('stop_gained&frameshift_variant'), ['stop_gained nonsense']);
    assert.deepEqual(await effect('intron_variant&splice_region_variant'), [
      'splice_region_variant splice_region',
    ]);
    assert.deepEqual(await effect('intron_variant&non_coding_transcript_variant'), ['intron_variant -']);
    assert.deepEqual(await effect('5_prime_UTR_variant'), ['5_prime_UTR_variant UTR5']);
  });

  test("SnpEff's ANN is read with and without its header; VEP under the key ANN too", async () => {
    const value =
      'ANN=C|stop_gained|HIGH|G|E|transcript|T.1|protein_coding|1/2|c.1A>C|p.Arg9*|1|1|1||,C|intron_variant|MODIFIER|H|E|transcript|U|x|||||||||';
    const stop = 'G stop_gained HIGH T.1 protein_coding p.Arg9Ter -';
    const expected = [stop, 'H intron_variant MODIFIER U x - -'];
    const columns = [
      'gene',
      'ebcanon_class',
      'impact',
      'transcript_id',
      'biotype',
      'amino_acid_change',
      'is_canonical',
    ];
    assert.deepEqual(await rowsOf(snpEff, 'A C', value, ...columns), expected);
    assert.deepEqual(await rowsOf('', 'A C', value, ...columns), expected);
    const asVep =
      'ANN=-|frameshift_variant|HIGH|G|E|Transcript|T|protein_coding|1/2||T:c.5del|P:p.Arg9fs|1|1|1|R|aga/aa|rs7||1||HGNC|5';
    assert.deepEqual(await rowsOf('', 'CA C', asVep, 'gene', 'amino_acid_change', 'rs_id'), [
      'G p.Arg9fs rs7',
    ]);
  });

  test('a region between genes is neither a gene nor a transcript, though SnpEff names it', async () => {
    const between =
      'C|intergenic_region|MODIFIER|CHR_START-DDX11L1|CHR_START-DDX11L1|intergenic_region|CHR_START-DDX11L1|||n.5A>C||||||';
    const upstream =
      'C|upstream_gene_variant|MODIFIER|DDX11L1|DDX11L1|transcript|NR_046018.2|pseudogene||n.-1|||||9|';
    const columns = ['gene', 'ebcanon_class', 'impact', 'transcript_id'];
    assert.deepEqual(await rowsOf(snpEff, 'A C', `ANN=${between}`, ...columns), [
      '- intergenic_region MODIFIER -',
    ]);
    assert.deepEqual(await rowsOf(snpEff, 'A C', `ANN=${between},${upstream}`, ...columns), [
      'DDX11L1 upstream_gene_variant MODIFIER NR_046018.2',
    ]);
  });

  test("SnpEff's old EFF is read with its old names", async () => {
    const value =
      'EFF=NON_SYNONYMOUS_CODING(MODERATE|MISSENSE|Gat/Cat|D5H|300|G|protein_coding|CODING|NM_1|3|1),UPSTREAM(MODIFIER||||300|H|||NM_2||1)';
    assert.deepEqual(
      await rowsOf(
        '',
        'G C',
        value,
        'gene',
        'ebcanon_group',
        'ebcanon_class',
        'impact',
        'transcript_id',
        'amino_acid_change',
      ),
      ['G missense missense_variant MODERATE NM_1 D5H', 'H - upstream_gene_variant MODIFIER NM_2 -'],
    );
    const change = (text: string): Promise<string[]> =>
      rowsOf('', 'G C', `EFF=x(HIGH|NONSENSE|Caa/Taa|${text}|9|G|x|CODING|T|2|1)`, 'amino_acid_change');
    assert.deepEqual(await change('p.Gln10*/c.28C>T'), ['p.Gln10Ter']);
    assert.deepEqual(await change('c.28+1G>T'), ['-']);
  });

  test("VEP's annotation takes precedence over SnpEff's if it has the impact", async () => {
    const both = (format: string, value: string): Promise<string[]> =>
      rowsOf(`${vep(format)}\n${snpEff}`, 'A C', `ANN=C|x|LOW|FROM_ANN;CSQ=${value}`, 'gene');
    assert.deepEqual(await both('Allele|IMPACT|SYMBOL', 'C|HIGH|FROM_CSQ'), ['FROM_CSQ']);
    assert.deepEqual(await both('Allele|SYMBOL', 'C|FROM_CSQ'), ['FROM_ANN']);
  });

  test('an annotation that is declared and not there hides none, and of two annotators each record has its own', async () => {
    const meta = [vep('Allele|IMPACT|SYMBOL|CANONICAL|AF'), snpEff];
    const genes = async (...info: string[]): Promise<string[]> => {
      const records = info.map((value, index) => `1 ${index + 5} . A C . . ${value}`);
      const { variants } = await convertText(vcf(records, { meta }));
      return pick(variants, 'gene', 'impact', 'transcript_id', 'is_canonical', 'population_allele_frequency');
    };
    const ann = 'ANN=C|x|LOW|FROM_ANN|E|transcript|T.1';
    assert.deepEqual(await genes(ann), ['FROM_ANN LOW T.1 - -']);
    assert.deepEqual(
      await genes(ann, 'CSQ=C|HIGH|FROM_CSQ|YES|0.5', 'CSQ=.', `${ann};CSQ=C|HIGH|BOTH||0.1`),
      ['FROM_ANN LOW T.1 - -', 'FROM_CSQ HIGH - true 0.5', '- - - - -', 'BOTH HIGH - false 0.1'],
    );
  });
});
