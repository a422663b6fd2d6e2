export { dataFolder, openPlatform, type DataFolder, type OpenPlatform } from './platform.ts';
export { runServiceProcess } from './run-service-process.ts';
