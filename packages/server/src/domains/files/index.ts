export { Arrivals } from './arrivals.ts';
export { attributesOf, nameMistake } from './file.ts';
export { type FileListeners, type FileParts, Files, type Follower } from './files.ts';
export { addMadeFile, addResultFile, isNameTaken } from './made-file.ts';
export { PartedUploads } from './parted-uploads.ts';
export { fileRemovers } from './removal.ts';
export { fileRoutes } from './routes.ts';
export { Transfers, transferRoutes } from './transfers.ts';
export { Uploads } from './uploads.ts';
