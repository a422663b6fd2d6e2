import { KafkaEventLog } from '../kafka-event-log.ts';
import { kafkaSettings } from '../settings.ts';

/** For members in processes of their own: `argument` is the JSON of the URL and the environment. */
export function openLog(argument: string): Promise<KafkaEventLog> {
  const { url, env } = JSON.parse(argument) as { url: string; env: Record<string, string> };
  return KafkaEventLog.open(kafkaSettings(url, env));
}
