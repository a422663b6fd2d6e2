import { Option, type Command } from 'commander';
import type { Acl, KafkaSettings } from '@whale/event-log-kafka';
import { InputError } from '@whale/kernel';
import { print, printJson, sessionOf, type Session } from '../session.ts';
import { listedTopics, listingText } from '../topics/listing.ts';

interface TopicsOptions {
  apply?: boolean;
  acls?: boolean;
  applyAcls?: boolean;
  principalPrefix?: string;
}

const DEFAULT_PREFIX = 'User:';
/** Stands in what is only printed for brokers that were not named. */
const UNNAMED = 'kafka://localhost:9092';

export function topicsCommand(program: Command): void {
  program
    .command('topics')
    .description('lists the topics of the log, each with its one writer and its events; sets them up on Kafka')
    .addOption(new Option('--apply', 'creates the topics on the brokers of --log').conflicts(['acls', 'applyAcls']))
    .addOption(new Option('--acls', 'prints who may do what as commands for kafka-acls.sh').conflicts('applyAcls'))
    .option('--apply-acls', 'sets these rules on the brokers of --log')
    .option('--principal-prefix <text>', "with ACLs: what comes before a service's name (default: User:)")
    .addHelpText(
      'after',
      '\nExample:\n  $ whale topics --json | jq ".[] | {topic, writer}"\n  $ whale topics --apply --log kafka://localhost:9092\n',
    )
    .action(async (options: TopicsOptions, command: Command) => {
      const session = sessionOf(command);
      const principalPrefix = principalPrefixOf(options);
      if (options.apply) return apply(session);
      if (options.acls) return printAcls(session, principalPrefix);
      if (options.applyAcls) return applyAcls(session, principalPrefix);
      const topics = listedTopics();
      if (session.json) printJson(topics);
      else print(listingText(topics));
    });
}

function principalPrefixOf({ principalPrefix, acls, applyAcls: applied }: TopicsOptions): string {
  if (principalPrefix === undefined) return DEFAULT_PREFIX;
  if (!acls && !applied) throw new InputError('--principal-prefix goes with --acls or --apply-acls');
  if (/^\w+:/.test(principalPrefix)) return principalPrefix;
  throw new InputError(
    `--principal-prefix ${principalPrefix}: expected a kind of principal with a colon, as User: or User:whale-`,
  );
}

async function apply(session: Session): Promise<void> {
  const settings = await settingsOf(session, '--apply');
  const { appliedText, applyPlatformTopics } = await import('../topics/apply.ts');
  const topics = await applyPlatformTopics(settings);
  if (session.json) printJson(topics);
  else print(appliedText(topics));
}

async function printAcls({ location, json }: Session, principalPrefix: string): Promise<void> {
  const { kafkaSettings } = await import('@whale/event-log-kafka');
  const { brokers, ...prefixes } = kafkaSettings(location.log ?? UNNAMED, process.env);
  const { aclScript, platformAcls } = await import('../topics/acls.ts');
  const acls = await platformAcls(prefixes, principalPrefix);
  if (json) return printJson(acls);
  if (location.log === null) print(`# For ${brokers.join(',')}; --log kafka://host:port names others.`);
  print(aclScript(acls, brokers));
}

async function applyAcls(session: Session, principalPrefix: string): Promise<void> {
  const settings = await settingsOf(session, '--apply-acls');
  const { applyAcls: addMissing } = await import('@whale/event-log-kafka');
  const { appliedAclsText, platformAcls } = await import('../topics/acls.ts');
  const acls: Acl[] = await platformAcls(settings, principalPrefix);
  const added = await addMissing(settings, acls);
  if (session.json) printJson({ added, rules: acls });
  else print(appliedAclsText(added, acls));
}

/** Throws InputError where the log is the embedded one. */
async function settingsOf({ location }: Session, flag: string): Promise<KafkaSettings> {
  if (location.log === null) {
    throw new InputError(
      `${flag} sets up Kafka: expected --log kafka://host:port, or WHALE_LOG. The embedded log makes its topics by itself and has no users.`,
    );
  }
  const { kafkaSettings } = await import('@whale/event-log-kafka');
  return kafkaSettings(location.log, process.env);
}
