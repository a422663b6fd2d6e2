import { FolderBlobStore, type BlobStore } from '@whale/blob-store';
import { dataFolder } from './data-folder.ts';
import type { PlatformLocation } from './location.ts';

export function openBlobs(location: PlatformLocation): BlobStore {
  return new FolderBlobStore(dataFolder(location.data).blobs);
}
