import { SERVICES, TOPIC_NAMES, TOPICS } from '@whale/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Acl } from '@whale/event-log-kafka';
import { whale } from '../support/whale-process.ts';
import { appliedAclsText, platformAcls } from './acls.ts';

let acls: Acl[];
beforeAll(async () => {
  acls = await platformAcls({ topicPrefix: 'team.', groupPrefix: 'g-' }, 'User:whale-');
}, 60_000);

const users = (operation: string, name: string) =>
  acls
    .filter((acl) => acl.name === name && (acl.operations as readonly string[]).includes(operation))
    .map(({ principal }) => principal.replace('User:whale-', ''))
    .sort();

describe('the rules of the platform', () => {
  it('one topic has one writer, and the operator', () => {
    for (const topic of TOPIC_NAMES) {
      expect(users('WRITE', `team.${topic}`)).toEqual(['operator', TOPICS[topic].writer].sort());
    }
  });

  it('a topic is read by those whose subscriptions or projections name it, the console and the operator', () => {
    const services = (topic: string) => users('READ', `team.${topic}`).filter((user) => !/console|operator/.test(user));
    expect(Object.fromEntries(TOPIC_NAMES.map((topic) => [topic, services(topic)]))).toMatchInlineSnapshot(`
      {
        "whale.archive.v1": [
          "archive",
          "proposer",
          "scheduler",
        ],
        "whale.experiments.v1": [
          "scheduler",
        ],
        "whale.harnesses.v1": [
          "proposer",
          "scheduler",
        ],
        "whale.rollout-requests.v1": [
          "rollout",
        ],
        "whale.rollouts.v1": [
          "archive",
          "proposer",
          "scheduler",
          "trainer-gateway",
          "verifier",
        ],
        "whale.schedule.v1": [
          "archive",
          "proposer",
          "scheduler",
          "trainer-gateway",
        ],
        "whale.verdicts.v1": [
          "archive",
          "scheduler",
        ],
        "whale.weights.v1": [
          "scheduler",
        ],
      }
    `);
    for (const topic of TOPIC_NAMES) {
      expect(users('READ', `team.${topic}`)).toEqual(expect.arrayContaining(['console', 'operator']));
    }
  });

  it('dead letters are written by the readers of their topic and the operator', () => {
    expect(users('WRITE', 'team.whale.rollouts.v1.dlq')).toMatchInlineSnapshot(`
      [
        "archive",
        "operator",
        "scheduler",
        "trainer-gateway",
        "verifier",
      ]
    `);
    expect(users('READ', 'team.whale.rollouts.v1.dlq')).toEqual(['console', 'operator']);
  });

  it('a group belongs to its service; the one of its projections where it has any', () => {
    for (const service of SERVICES) expect(users('READ', `g-${service}`)).toEqual([service]);
    const projecting = SERVICES.filter((service) => users('READ', `g-${service}.projections`).includes(service));
    expect(projecting).toEqual(['archive', 'scheduler']);
  });

  it('what was added is told, in words', () => {
    const [first] = acls as [Acl];
    expect(appliedAclsText([first], acls)).toMatch(
      /^User:whale-archive may \w+(, \w+)* topic team\.\S+\n\n\d rules? added, \d+ set before\.$/,
    );
    expect(appliedAclsText([], acls)).toMatch(/^Nothing to do: all \d+ rules are set\.$/);
  });
});

describe('whale topics', { timeout: 60_000 }, () => {
  const environment = { WHALE_LOG: '', WHALE_KAFKA_TOPIC_PREFIX: 'team.' };

  it('--acls prints them without a broker', async () => {
    const { code, stdout, stderr } = await whale(['topics', '--acls'], environment);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(
      'kafka-acls.sh --bootstrap-server localhost:9092 --command-config admin.properties --add --allow-principal User:rollout --operation Write --operation Describe --topic team.whale.rollouts.v1\n',
    );
    for (const line of stdout.trim().split('\n')) expect(line).toMatch(/^(# |kafka-acls\.sh )/);
    const named = ['--principal-prefix', 'User:x-', '--json', '--log', 'kafka://b:1'];
    const json = JSON.parse((await whale(['topics', '--acls', ...named], environment)).stdout) as Acl[];
    expect(json).toContainEqual({
      principal: 'User:x-rollout',
      resource: 'topic',
      name: 'team.whale.rollouts.v1',
      operations: ['WRITE', 'DESCRIBE'],
    });
  });

  it.each([
    [['--apply'], 'expected --log kafka://host:port'],
    [['--apply-acls'], 'expected --log kafka://host:port'],
    [['--apply', '--acls'], 'cannot be used with'],
    [['--acls', '--apply-acls'], 'cannot be used with'],
    [['--principal-prefix', 'User:'], 'goes with --acls or --apply-acls'],
    [['--acls', '--principal-prefix', 'whale'], 'expected a kind of principal'],
  ])('%j is bad input, told as such', async (args, message) => {
    const { code, stdout, stderr } = await whale(['topics', ...args], environment);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
  });
});
