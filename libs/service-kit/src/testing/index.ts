export { serviceStoreContract, type StoreHarness } from './service-store-contract.ts';
