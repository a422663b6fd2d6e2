export { type BlobStore } from './port.ts';
export { blobUri, FolderBlobStore } from './folder.ts';
