export { dataFolder, type DataFolder } from './data-folder.ts';
export { embedded, platformLocation, type GivenLocation, type PlatformLocation } from './location.ts';
export { openExistingLog, openLog } from './open-log.ts';
export { openState, type OpenState, type StorePlace } from './open-state.ts';
export { openBlobs } from './open-blobs.ts';
export { openPlatform, type OpenPlatform } from './platform.ts';
export { runServiceProcess } from './run-service-process.ts';
