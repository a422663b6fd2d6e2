import { SERVICES, type ServiceName } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import type { ServiceDefinition } from '@whale/service-kit';

type Definition = ServiceDefinition<unknown>;

/** The order of starting; stopping goes backwards, so that who decides stops first. */
const LOADERS: Readonly<Record<ServiceName, () => Promise<unknown>>> = {
  verifier: async () => (await import('@whale/app-verifier')).verifierService,
  archive: async () => (await import('@whale/app-archive')).archiveService,
  rollout: async () => (await import('@whale/app-rollout')).rolloutService,
  'trainer-gateway': async () => (await import('@whale/app-trainer-gateway')).trainerGatewayService,
  proposer: async () => (await import('@whale/app-proposer')).proposerService,
  scheduler: async () => (await import('@whale/app-scheduler')).schedulerService,
};

/** Throws InputError for a name that is none. No names: all services. */
export function serviceNames(given: readonly string[]): ServiceName[] {
  for (const name of given) {
    if (!(SERVICES as readonly string[]).includes(name)) {
      throw new InputError(`no service is called "${name}". There are: ${SERVICES.join(', ')}`);
    }
  }
  const all = Object.keys(LOADERS) as ServiceName[];
  return given.length === 0 ? all : all.filter((name) => given.includes(name));
}

/** Loads the services' modules; each brings Nest along, so only when they are to run. */
export async function loadServices(names: readonly ServiceName[]): Promise<Definition[]> {
  const definitions: Definition[] = [];
  for (const name of names) definitions.push((await LOADERS[name]()) as Definition);
  return definitions;
}
