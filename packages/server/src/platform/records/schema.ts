export type Database = {};
