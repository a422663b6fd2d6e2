import { topicDefinitions, type ServiceName } from '@whale/contracts';
import { openPlatform, type OpenPlatform, type PlatformLocation } from '@whale/service-host';
import { startService, type RunningService, type ServiceDefinition } from '@whale/service-kit';

type Definition = ServiceDefinition<unknown>;

/** The platform with its topics. `onTrouble` hears what a service has to say to the operator. */
export async function openHost(
  location: PlatformLocation,
  onTrouble: (service: ServiceName, message: string) => void,
): Promise<OpenPlatform> {
  const platform = await openPlatform(location, onTrouble);
  try {
    await platform.log.ensureTopics(topicDefinitions());
  } catch (error) {
    await platform.close();
    throw error;
  }
  return platform;
}

/** Services of one process. When one does not start, those before it are stopped and its error is thrown. */
export class Host {
  readonly #platform: OpenPlatform;
  readonly #running: RunningService[] = [];

  constructor(platform: OpenPlatform) {
    this.#platform = platform;
  }

  async start(definitions: readonly Definition[], stopped: () => boolean): Promise<void> {
    for (const definition of definitions) {
      if (stopped()) return;
      try {
        this.#running.push(await startService(definition, this.#platform, process.env));
      } catch (error) {
        this.#platform.onTrouble(definition.name, 'did not start');
        throw error;
      }
    }
  }

  /** Who decides stops first: the last started. */
  async stop(): Promise<void> {
    for (let service = this.#running.pop(); service; service = this.#running.pop()) await service.stop();
  }
}
