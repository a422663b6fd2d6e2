import { SERVICES, type EventDefinition, type ServiceName } from '@whale/contracts';

/** What a service reads and writes, as its `subscriptions.ts` says. */
export interface ServiceSubscriptions {
  consumes: readonly EventDefinition[];
  emits: readonly EventDefinition[];
}

export async function allSubscriptions(): Promise<ReadonlyMap<ServiceName, ServiceSubscriptions>> {
  const found = new Map<ServiceName, ServiceSubscriptions>();
  for (const name of SERVICES) {
    const file = new URL(`../../apps/${name}/src/subscriptions.ts`, import.meta.url);
    const { subscriptions } = (await import(file.href)) as { subscriptions: ServiceSubscriptions };
    found.set(name, subscriptions);
  }
  return found;
}
