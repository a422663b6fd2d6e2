import type { Admin } from 'kafkajs';
import { LazyAdmin } from './admin.ts';
import { kafkaClient, PATIENCE_MS, retries } from './client.ts';
import { KafkaCluster } from './cluster.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { Names } from './names.ts';
import type { KafkaSettings } from './settings.ts';
import { TopicCatalogue } from './topics.ts';

export interface Administration {
  admin: Admin;
  names: Names;
  topics: TopicCatalogue;
}

/** Does one piece of an operator's work on the brokers, and leaves them. */
export async function administrate<T>(
  settings: KafkaSettings,
  work: (tools: Administration) => Promise<T>,
): Promise<T> {
  const watch = new ConnectionWatch(settings.brokers.join(','), () => undefined);
  const cluster = new KafkaCluster(settings, watch, PATIENCE_MS);
  const lazy = new LazyAdmin(kafkaClient(settings, retries(4)));
  const names = new Names(settings);
  const { replicationFactor } = settings;
  const topics = new TopicCatalogue({ cluster, names, admin: () => lazy.get(), replicationFactor });
  try {
    await cluster.connected();
    return await work({ admin: await lazy.get(), names, topics });
  } finally {
    await Promise.all([lazy.close(), cluster.close()]);
  }
}
