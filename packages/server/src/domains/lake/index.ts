export { AnnotationWork, annotateSegments } from './annotations/annotation-work.ts';
export { announceRelease, announceReleases } from './annotations/announced-releases.ts';
export { buildRemarks } from './annotations/build-remarks.ts';
export { ServiceAnnotations } from './annotations/service-annotations.ts';
export { SourceList } from './annotations/source-list.ts';
export { annotationSourceRoutes } from './annotations/source-routes.ts';
export { sweepAnnotated } from './annotations/sweep.ts';
export { ArrivingResources } from './catalogue/arriving-resources.ts';
export { type NewSegment, publishSegments, retireSource } from './catalogue/catalogue.ts';
export { compactLakes, queueCompactions } from './catalogue/compaction.ts';
export { followingRows } from './catalogue/following-rows.ts';
export { type LakeFile, presentFiles } from './catalogue/lake-files.ts';
export { hasFreeNames, ownTablesAt, requireFreeNames, requireNoOwnTable } from './catalogue/own-tables.ts';
export { sweepSegments } from './catalogue/sweep.ts';
export { verifyLake } from './catalogue/verify.ts';
export { hasLostRows, isWhole } from './catalogue/whole-files.ts';
export {
  attributesOfTables,
  datasetQuery,
  lakePath,
  lakeRoot,
  lakeTag,
  locateTables,
  shapesOf,
  tablesOf,
} from './dataset-tables.ts';
export { derivationOf, deriveLakes, requestDerivations } from './derive.ts';
export { loggingSlow, temporaryProblem, withProblems } from './engine-problems.ts';
export {
  type IcebergFile,
  IcebergTables,
  type LoadedTable,
  type Place,
  type TableVersion,
} from './iceberg/iceberg-tables.ts';
export { schemaOf, storedSchema } from './iceberg/schema.ts';
export {
  Lake,
  type PinnedProject,
  type PinnedVersion,
  type RemoteReading,
  type Snapshot,
  type TableSchema,
  tableOf,
} from './lake.ts';
export { ProjectReaders } from './readers/project-readers.ts';
export { readerRoutes } from './readers/reader-routes.ts';
export { lakeRemovers } from './removal.ts';
export { Contradictions } from './samples/contradictions.ts';
export { SampleList } from './samples/sample-list.ts';
export { sampleRoutes } from './samples/sample-routes.ts';
export { RowRights } from './views/made-with.ts';
export {
  countsMinOf,
  fullAccess,
  hasRowAccess,
  maskedAccess,
  masksRows,
  needsPatients,
  type RowAccess,
  rowAccessOf,
} from './views/row-access.ts';
export { hasPatients } from './views/visible-tables.ts';
