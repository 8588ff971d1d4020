export { currentDataVersion, type NewSegment, publishSegments, retireSource } from './catalogue.ts';
export { followingRows } from './following-rows.ts';
export { Lake, type PinnedProject } from './lake.ts';
export { Queries } from './queries.ts';
export { attributesOfTables } from './query-record.ts';
export { lakeRemovers } from './removal.ts';
export { lakeRoutes } from './routes.ts';
export { runQueries } from './run-query.ts';
export { sweepSegments } from './sweep.ts';
