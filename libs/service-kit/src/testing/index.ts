export { readModelsContract, type ReadModelsHarness } from './read-models-contract.ts';
export { serviceStoreContract, type StoreHarness } from './service-store-contract.ts';
export { poisonContract, QUICK_BACK_OFF, type PoisonHarness } from './poison-contract.ts';
export { ECHO_TOPIC, REQUEST_TOPIC, echoService, request } from '../support/echo-service.ts';
export { recordOf, recordsOn } from '../support/records.ts';
