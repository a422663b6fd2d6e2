// By the whole package, so that a process without the test runner is seen to load it.
import { KafkaEventLog, kafkaSettings } from '../index.ts';

/** For members in processes of their own: `argument` is the JSON of the URL and the environment. */
export function openLog(argument: string): Promise<KafkaEventLog> {
  const { url, env } = JSON.parse(argument) as { url: string; env: Record<string, string> };
  return KafkaEventLog.open(kafkaSettings(url, env));
}
