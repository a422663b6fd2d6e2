/**
 * The server with the competent proposer, by hand: to try the proposer `claude` without a key.
 *
 *   npx tsx test/messages-api/serve.ts [port]
 */
import type { Brain } from './brain.ts';
import { competentProposer } from './proposer/proposer.ts';
import { startMessagesApi, TEST_KEY } from './server.ts';

const port = Number(process.argv[2] ?? 8787);
if (!Number.isInteger(port) || port < 0 || port > 65_535) {
  console.error(`The port must be a number from 0 (any free one) to 65535, not ${process.argv[2]}.`);
  process.exit(2);
}

const api = await startMessagesApi({ brain: aloud(competentProposer()), port }).catch((error: Error) => {
  console.error(`Port ${port} cannot be used (${error.message}): name another one.`);
  process.exit(3);
});
process.once('SIGINT', () => void api.close());
process.once('SIGTERM', () => void api.close());

console.log(`Messages API at ${api.url}; Ctrl-C ends it. In a spec on the domain search-qa, e.g. examples/atlas-small.yaml:

proposer:
  kind: claude
  model: claude-opus-5
  baseUrl: ${api.url}
  prices: { input: 5, output: 25 } # dollars per million tokens; nothing is billed here

Then: ANTHROPIC_API_KEY=${TEST_KEY} npx whale run SPEC
`);

/** Tells what the model says. */
function aloud(brain: Brain): Brain {
  return (conversation) => {
    const turn = brain(conversation);
    const calls = turn.calls?.map(({ name, input }) =>
      `${name} ${String(input['path'] ?? input['name'] ?? '')}`.trim(),
    );
    console.log([turn.text, ...(calls ?? [])].filter(Boolean).join('\n  '));
    return turn;
  };
}
