export { type BlobStore } from './port.ts';
export { FolderBlobStore } from './folder.ts';
