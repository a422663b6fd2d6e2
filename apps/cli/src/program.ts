import { Command } from 'commander';

type Register = (program: Command) => void;

/** Each command is its own module, loaded only when it is asked for: `whale ls` must not wait for a compiler. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  run: async () => (await import('./commands/run.ts')).runCommand,
  ls: async () => (await import('./commands/ls.ts')).lsCommand,
  show: async () => (await import('./commands/show.ts')).showCommand,
  report: async () => (await import('./commands/report.ts')).reportCommand,
  events: async () => (await import('./commands/events.ts')).eventsCommand,
  audit: async () => (await import('./commands/audit.ts')).auditCommand,
  workspace: async () => (await import('./commands/workspace.ts')).workspaceCommand,
  rebuild: async () => (await import('./commands/rebuild.ts')).rebuildCommand,
  services: async () => (await import('./commands/services.ts')).servicesCommand,
  topics: async () => (await import('./commands/topics.ts')).topicsCommand,
  dlq: async () => (await import('./commands/dlq.ts')).dlqCommand,
  pretrain: async () => (await import('./commands/pretrain.ts')).pretrainCommand,
  domain: async () => (await import('./commands/domain.ts')).domainCommand,
  harness: async () => (await import('./commands/harness.ts')).harnessCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
};

export async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('whale')
    .description('Improves an LLM agent by turns: its weights, then its harness.')
    .version('0.1.0')
    .option('--data <dir>', 'folder of the data (default: .whale; WHALE_DATA)')
    .option('--log <url>', 'Kafka as the log: kafka://host:port (default: a file in the data folder; WHALE_LOG)')
    .option('--database <url>', 'PostgreSQL for state and read models (default: files; WHALE_DATABASE)')
    .option('--json', 'print JSON for programs')
    .addHelpText('after', '\nExample:\n  $ whale run examples/atlas-small.yaml\n')
    .showHelpAfterError('(whale --help shows the commands)')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  const asked = commandName(args);
  const load = asked === undefined ? undefined : COMMANDS[asked];
  const wanted = load ? [load] : Object.values(COMMANDS);
  for (const register of await Promise.all(wanted.map((one) => one()))) register(program);
  return program;
}

const WITH_VALUE: ReadonlySet<string> = new Set(['--data', '--log', '--database']);

/** The first argument that is neither an option nor the value of one. */
function commandName(args: readonly string[]): string | undefined {
  for (let i = 0; i < args.length; i++) {
    const argument = args[i] as string;
    if (WITH_VALUE.has(argument)) i++;
    else if (!argument.startsWith('-')) return argument;
  }
  return undefined;
}
