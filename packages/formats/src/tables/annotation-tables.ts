import { defineTable } from './table.ts';

const about = {
  id: ['string', 'none', 'Id of the ingestion that read the file.'],
  source: ['string', 'none', 'Name of the source, such as `ClinVar` or `AlphaMissense`.'],
  gene: ['string', 'none', 'Symbol of the gene.'],
  protein: [
    'string',
    'none',
    'Change of the protein as in `variant`, such as `p.Val600Glu`; of a hotspot the residue, `p.Val600`.',
  ],
} as const;

/** Releases of annotation sources, one row per ingested file. */
export const annotationSource = defineTable({
  name: 'annotation_source',
  area: 'study',
  about: 'Releases of annotation sources, one row per ingested file.',
  plural: 'annotationSources',
  orderBy: ['source', 'version'],
  formats: ['annotation files'],
  isExtension: true,
  columns: {
    source_id: about.id,
    source: about.source,
    kind: ['string', 'none', 'Kind of the file, such as `clinvar`, `alphamissense` or `gene-sets`.'],
    version: ['string', 'none', 'Version of the release, from the file or its ingestion; NULL: not known.'],
    released: ['string', 'none', 'ISO date of the release; NULL: not known.'],
    genome_build: ['string', 'none', 'Genome build of the positions; NULL: none, or not known.'],
    matched_by: ['string', 'none', 'Key of its values: `allele`, `region` or `gene`.'],
    row_count: ['int', 'none', 'Number of alleles, regions or genes with a value.'],
  },
});

/** Values of annotation sources by allele, region or gene. Of a source, those of the newest release count. */
export const annotationValue = defineTable({
  name: 'annotation_value',
  area: 'study',
  about: 'Values of annotation sources by allele, region or gene; the newest release of each.',
  plural: 'annotationValues',
  orderBy: ['chromosome', 'position'],
  formats: ['annotation files'],
  isExtension: true,
  columns: {
    source_id: about.id,
    source: about.source,
    version: ['string', 'none', 'Version of the release.'],
    chromosome: ['string', 'none', 'Chromosome, as in `variant`; NULL for values of genes.'],
    position: ['int', 'none', 'Position of the allele, or first base of the region, counted from 1.'],
    end_position: ['int', 'none', 'Last base of the region; NULL for alleles.'],
    reference: ['string', 'none', 'Reference allele, trimmed as in `variant`; NULL for regions.'],
    alternate: ['string', 'none', 'Alternate allele, trimmed as in `variant`; NULL for regions.'],
    gene: about.gene,
    protein_change: about.protein,
    transcript_id: ['string', 'none', 'Transcript that the value is about; NULL: all.'],
    name: ['string', 'none', 'Name of the value, such as `pathogenicity`.'],
    value: ['float', 'none', 'Value as a number.'],
    label: ['string', 'none', 'Value in words, such as the class of a score.'],
  },
});

/** Alleles and genes whose value differs between two releases of a source. */
export const annotationChange = defineTable({
  name: 'annotation_change',
  area: 'study',
  about: 'Values that a release of an annotation source changed, one row per allele or gene, and value.',
  plural: 'annotationChanges',
  orderBy: ['chromosome', 'position'],
  formats: ['annotation files'],
  isExtension: true,
  columns: {
    source_id: about.id,
    source: about.source,
    old_version: ['string', 'none', 'Version before.'],
    new_version: ['string', 'none', 'Version of the release that changed the value.'],
    chromosome: ['string', 'none', 'Chromosome, as in `variant`; NULL for genes.'],
    position: ['int', 'none', 'Position, as in `variant`.'],
    reference: ['string', 'none', 'Reference allele.'],
    alternate: ['string', 'none', 'Alternate allele.'],
    gene: about.gene,
    protein_change: about.protein,
    name: ['string', 'none', 'Column of `variant`, or `name` of `annotation_value`.'],
    old_value: ['string', 'none', 'Value before; NULL: none.'],
    new_value: ['string', 'none', 'Value of the release; NULL: none.'],
  },
});
