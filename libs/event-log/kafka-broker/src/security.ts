import { SERVICES } from '@whale/contracts';

/** Users of a broker with SASL: the administrator, who may do everything, the console, the operator and the services. */
export const USERS = ['admin', 'console', 'operator', ...SERVICES] as const;
export type User = (typeof USERS)[number];

/** Not a secret: the broker listens on the loopback interface and lives as long as a test. */
export function passwordOf(user: User): string {
  return `${user}-password`;
}

/** Listeners with TLS beside the one without. */
export interface TlsListeners {
  /** SASL by SCRAM within TLS. */
  scramPort: number;
  /** Clients prove who they are by a certificate; its CN is the user. */
  mutualPort: number;
  /** PEM texts: the authority of brokers and clients, and the broker's own. */
  pem: { ca: string; cert: string; key: string };
}

const SCRAMS = ['SCRAM-SHA-256', 'SCRAM-SHA-512'];
const MODULES = 'org.apache.kafka.common.security';

/** Arguments of the storage tool that make the users known to SCRAM. */
export function scramArguments(): string[] {
  return SCRAMS.flatMap((mechanism) =>
    USERS.flatMap((user) => ['--add-scram', `${mechanism}=[name=${user},password=${passwordOf(user)}]`]),
  );
}

/** Users and an authorizer that refuses what no ACL allows. */
export function saslProperties(): Record<string, string> {
  const users = USERS.map((user) => `user_${user}="${passwordOf(user)}"`).join(' ');
  return {
    'listener.name.client.sasl.enabled.mechanisms': 'PLAIN',
    'sasl.mechanism.inter.broker.protocol': 'PLAIN',
    'listener.name.client.plain.sasl.jaas.config': `${MODULES}.plain.PlainLoginModule required username="admin" password="${passwordOf('admin')}" ${users};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    // The controller's listener knows no users; only this node can reach it.
    'super.users': 'User:admin;User:ANONYMOUS',
    'allow.everyone.if.no.acl.found': 'false',
  };
}

export function tlsProperties({ ca, cert, key }: TlsListeners['pem']): Record<string, string> {
  const modules = SCRAMS.map((mechanism): [string, string] => [
    `listener.name.scram.${mechanism.toLowerCase()}.sasl.jaas.config`,
    `${MODULES}.scram.ScramLoginModule required;`,
  ]);
  return {
    'listener.name.scram.sasl.enabled.mechanisms': SCRAMS.join(),
    ...Object.fromEntries(modules),
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.certificate.chain': inOneLine(cert),
    'ssl.keystore.key': inOneLine(key),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.certificates': inOneLine(ca),
    'listener.name.mutual.ssl.client.auth': 'required',
    'listener.name.mutual.ssl.principal.mapping.rules': 'RULE:^CN=(.*)$/$1/',
  };
}

/** As a file of Java properties writes ends of lines within a value. */
function inOneLine(pem: string): string {
  return pem.trim().replaceAll('\n', '\\n');
}
