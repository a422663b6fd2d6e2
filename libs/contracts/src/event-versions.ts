import { ContractError } from './contract-error.ts';
import { nameAndVersion, type DomainEvent, type EventDefinition } from './event-definition.ts';
import { formatIssues } from './format-issues.ts';
import type { Upcaster } from './upcaster.ts';

/**
 * All versions of all events. Invariants, each named by a test:
 * U1 An event has one newest version; an upcaster leads from each older one to the next, on the same topic, without gaps.
 * U2 Old data are validated by the schema that they were written under, and after each upcast by that of the new version.
 * U3 Only the newest version can be written.
 */
export class EventVersions {
  readonly #newest = new Map<string, EventDefinition>();
  readonly #versions = new Map<string, EventDefinition>();
  readonly #upcasters = new Map<string, Upcaster>();

  /** Throws an Error where U1 does not hold: a mistake in the registry. */
  constructor(newest: readonly EventDefinition[], upcasters: readonly Upcaster[]) {
    for (const definition of newest) {
      const { name } = nameAndVersion(definition.type);
      if (this.#newest.has(name)) throw new Error(`${name} has two newest versions`);
      this.#newest.set(name, definition);
      this.#versions.set(definition.type, definition);
    }
    for (const upcaster of upcasters) {
      if (this.#versions.has(upcaster.from.type)) {
        throw new Error(`${upcaster.from.type} is either the newest or upcast twice`);
      }
      this.#upcasters.set(upcaster.from.type, upcaster);
      this.#versions.set(upcaster.from.type, upcaster.from);
    }
    for (const upcaster of upcasters) this.#check(upcaster);
    for (const { type } of newest) this.#checkNoGap(type);
  }

  /** The newest version of an event, by its type; undefined for old versions too. */
  newest(type: string): EventDefinition | undefined {
    const definition = this.#versions.get(type);
    return definition && !this.#upcasters.has(type) ? definition : undefined;
  }

  /**
   * The type that consumers know an event by: its newest version here, whatever version `type` names, even one that is
   * newer than this release. A type that is no event is itself.
   */
  latestType(type: string): string {
    const { name, version } = nameAndVersion(type);
    return (version > 0 && this.#newest.get(name)?.type) || type;
  }

  /** The definition that a record was written under. Throws ContractError when there is none here. */
  writtenUnder(type: string): EventDefinition {
    const definition = this.#versions.get(type);
    if (definition) return definition;
    const latest = this.#newest.get(nameAndVersion(type).name);
    if (latest && nameAndVersion(type).version > nameAndVersion(latest.type).version) {
      throw new ContractError(
        'EVENT_VERSION_NEWER',
        `${type} is newer than this release knows (${latest.type}): upgrade, then \`whale dlq retry\``,
      );
    }
    throw unknownType(type);
  }

  /** Validates data of any version and leads them to the newest. Throws ContractError. */
  upcast(written: EventDefinition, value: unknown): DomainEvent {
    let definition = written;
    let data = parse(definition, value, `${definition.type} does not fit its schema`);
    for (;;) {
      const upcaster = this.#upcasters.get(definition.type);
      if (!upcaster) return { type: definition.type, data };
      const { from, to } = upcaster;
      data = parse(to, upcaster.upcast(data), `${to.type}, upcast from ${from.type}, does not fit its schema`);
      definition = to;
    }
  }

  /** Validates data to be written. Throws ContractError, also for an old version. */
  toWrite({ type, data }: DomainEvent): { definition: EventDefinition; data: unknown } {
    const definition = this.newest(type);
    if (definition) return { definition, data: parse(definition, data, `${type} does not fit its schema`) };
    if (!this.#versions.has(type)) throw unknownType(type);
    throw new ContractError(
      'EVENT_TYPE_UNKNOWN',
      `${type} is an old version that is only read: write ${this.latestType(type)}`,
    );
  }

  #check({ from, to }: Upcaster): void {
    const [old, next] = [nameAndVersion(from.type), nameAndVersion(to.type)];
    const leads = `the upcaster from ${from.type} leads to ${to.type}`;
    if (old.name !== next.name || old.version + 1 !== next.version)
      throw new Error(`${leads}, not to the next version`);
    if (from.topic !== to.topic) throw new Error(`${leads} on another topic`);
    if (this.#versions.get(to.type) !== to) throw new Error(`${leads}, from which nothing leads on to the newest`);
  }

  #checkNoGap(type: string): void {
    const { name, version } = nameAndVersion(type);
    for (let old = 1; old < version; old++) {
      if (!this.#upcasters.has(`${name}.v${old}`)) throw new Error(`nothing leads from ${name}.v${old} to ${type}`);
    }
  }
}

function parse(definition: EventDefinition, value: unknown, complaint: string): unknown {
  const parsed = definition.data.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ContractError('EVENT_SCHEMA', `${complaint}\n${formatIssues(parsed.error, value)}`);
}

function unknownType(type: string): ContractError {
  return new ContractError('EVENT_TYPE_UNKNOWN', `no event is called ${type}`);
}
