export { serviceStoreContract, type StoreHarness } from './service-store-contract.ts';
export { poisonContract, type PoisonHarness } from './poison-contract.ts';
