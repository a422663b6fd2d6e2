import { ExperimentCancelRequested, ExperimentSubmitted } from '@whale/contracts';
import { expect, test } from 'vitest';
import { startService } from '../service.ts';
import { echoService } from '../support/echo-service.ts';
import { temporaryPlatform } from '../support/temporary-platform.ts';

test.each([
  ['declares an event without a handler', [ExperimentCancelRequested, ExperimentSubmitted], 'NO_HANDLER'],
  ['handles an event without declaring it', [], 'NOT_SUBSCRIBED'],
])('a service that %s does not start', async (_, consumes, code) => {
  const platform = await temporaryPlatform();
  const definition = echoService();
  const wrong = { ...definition, subscriptions: { ...definition.subscriptions, consumes } };
  await expect(startService(wrong, platform, {})).rejects.toMatchObject({ code });
});
