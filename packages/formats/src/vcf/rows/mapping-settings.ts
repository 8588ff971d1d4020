import type { Bases, Genome } from '../../consequences/spliced.ts';
import type { AnnotationLayout } from '../annotation-layout.ts';
import type { FieldDefinition } from '../header.ts';
import type { FileConstants, SortedGroup } from './variant-group.ts';

/** Facts of a file by which its records are mapped, and the receivers of the results. */
export interface MappingSettings extends FileConstants {
  declared: ReadonlyMap<string, FieldDefinition>;
  /** Definitions of FORMAT. */
  format?: ReadonlyMap<string, FieldDefinition>;
  /** Set if numbers in INFO are of samples, too, that are no longer in the file. */
  isSubset?: boolean;
  /** INFO keys of the first records. */
  seen: Iterable<string>;
  /** Layouts of annotations, the most trusted first; a record uses the first that it has. */
  layouts: readonly AnnotationLayout[];
  /** Gene models and bases for records without annotations; `layouts` has that of their consequences then. */
  genome?: Genome | undefined;
  /** Bases of the reference, by which alleles have one spelling. */
  bases?: Bases | undefined;
  passOnly: boolean;
  /** Set if the rows of all chromosomes are one row group, while they fit. */
  isOneGroup?: boolean | undefined;
  /** Index of the sample of records without genotypes: the tumor of somatic calls. */
  tumor?: number | undefined;
  /** Set for one row per alternate, without samples: `sampleCount` is 0, and INFO/AF is a population frequency. */
  sitesOnly?: boolean;
  /** Receives each full row group, which is valid during the call. */
  onGroup: (group: SortedGroup) => void;
  /** Receives the range of each record with a symbolic alternate or a breakend: these have no rows here. */
  onStructural: (start: number, end: number) => void;
}
