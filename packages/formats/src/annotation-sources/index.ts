export { kindOfTable, kindOfVcf, type SourceLayout, sourceKinds } from './recognise-source.ts';
export {
  isDate,
  isLater,
  newestReleases,
  type Release,
  type RequestedSource,
  readRelease,
  releaseOf,
  writeRelease,
} from './release.ts';
export type { SourceKind, VcfKind } from './source-kind.ts';
export {
  type LeftOut,
  listedReader,
  rowBuildOf,
  type SourceReader,
  type SourceRows,
  sourceReader,
} from './source-rows.ts';
