import { aclCommands, aclsFor, topicAccess, type Acl, type KafkaSettings } from '@whale/event-log-kafka';
import { projectionGroup } from '@whale/service-kit';
import { plural } from '../print/text.ts';
import { loadServices, serviceNames } from '../services.ts';

/** Who submits experiments and looks at everything: the commands and the web page. */
const CONSOLE = 'console';
/** Who tries dead letters again, so writes to the topics of all. */
const OPERATOR = 'operator';

/** The rules of one writer, as what each service declares says. `principalPrefix` comes before a service's name. */
export async function platformAcls(
  prefixes: Pick<KafkaSettings, 'topicPrefix' | 'groupPrefix'>,
  principalPrefix: string,
): Promise<Acl[]> {
  const services = (await loadServices(serviceNames([]))).map(({ name, subscriptions, projections = [] }) => ({
    name,
    consumes: [...subscriptions.consumes, ...projections.flatMap(({ consumes }) => consumes)],
    reads: subscriptions.reads,
    groups: projections.length === 0 ? [name] : [name, projectionGroup(name)],
  }));
  return aclsFor(topicAccess(services), {
    principalOf: (service) => principalPrefix + service,
    groupsOf: (service) => services.find(({ name }) => name === service)?.groups ?? [],
    observers: [CONSOLE],
    operators: [OPERATOR],
    prefixes,
  });
}

/** For a shell. */
export function aclScript(acls: readonly Acl[], brokers: readonly string[]): string {
  return [
    '# One writer a topic. The rules add to what is allowed already; admin.properties says how an administrator logs in.',
    `# ${OPERATOR} may write to every topic, for whale dlq retry; nobody else may write to the topic of another.`,
    ...aclCommands(acls, brokers, '--command-config admin.properties'),
  ].join('\n');
}

export function appliedAclsText(added: readonly Acl[], all: readonly Acl[]): string {
  const rules = (acls: readonly Acl[]) => acls.reduce((sum, { operations }) => sum + operations.length, 0);
  if (added.length === 0) return `Nothing to do: all ${rules(all)} rules are set.`;
  const lines = added.map(({ principal, operations, resource, name }) =>
    [principal, 'may', operations.join(', ').toLowerCase(), resource, name].join(' '),
  );
  return [...lines, '', `${plural(rules(added), 'rule')} added, ${rules(all) - rules(added)} set before.`].join('\n');
}
