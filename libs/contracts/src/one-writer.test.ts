import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import type { EventDefinition } from './event-definition.ts';
import { EVENTS } from './registry.ts';
import { SERVICES, TOPICS } from './topics.ts';

interface Subscriptions {
  consumes: readonly EventDefinition[];
  emits: readonly EventDefinition[];
}

const APPS = new URL('../../../apps/', import.meta.url);
const services = new Map<string, Subscriptions>();

beforeAll(async () => {
  for (const app of readdirSync(APPS)) {
    const file = new URL(`${app}/src/subscriptions.ts`, APPS);
    if (!existsSync(file)) continue;
    services.set(app, ((await import(file.href)) as { subscriptions: Subscriptions }).subscriptions);
  }
});

test('every service declares what it consumes and emits', () => {
  expect([...services.keys()].sort()).toEqual([...SERVICES].sort());
});

test('one writer: an event is emitted by exactly the service that writes its topic, the console’s by none', () => {
  for (const event of EVENTS as readonly EventDefinition[]) {
    const writers = [...services].filter(([, { emits }]) => emits.includes(event)).map(([name]) => name);
    const { writer } = TOPICS[event.topic];
    expect(writers, event.type).toEqual(writer === 'console' ? [] : [writer]);
  }
});

test('nothing is declared that is no event, or twice', () => {
  for (const [name, { consumes, emits }] of services) {
    for (const list of [consumes, emits]) {
      expect(new Set(list).size, name).toBe(list.length);
      for (const event of list) expect(EVENTS, `${name}: ${event.type}`).toContain(event);
    }
  }
});

test('a topic has events, and every event a topic', () => {
  const used = new Set<string>(EVENTS.map((event) => event.topic));
  expect([...used].sort()).toEqual(Object.keys(TOPICS).sort());
});
