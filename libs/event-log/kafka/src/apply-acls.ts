import kafkajs, { type AclEntry as KafkaAcl, type Admin } from 'kafkajs';
import type { Acl, AclOperation } from './acls.ts';
import { administrate } from './administration.ts';
import { toLogError } from './errors.ts';
import type { KafkaSettings } from './settings.ts';

// Node finds these names of a CommonJS package only below its default export.
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

const ANY_HOST = '*';

/**
 * Adds to the brokers what they lack, and resolves with that; what else is allowed there stays. Needs DESCRIBE and ALTER
 * on the cluster. Rejects with `LogError`.
 */
export async function applyAcls(settings: KafkaSettings, acls: readonly Acl[]): Promise<Acl[]> {
  try {
    return await administrate(settings, async ({ admin }) => {
      const present = await allowed(admin);
      const missing = acls.flatMap((acl) => {
        const operations = acl.operations.filter((operation) => !present.has(keyOf(toKafkaAcl(acl, operation))));
        return operations.length === 0 ? [] : [{ ...acl, operations }];
      });
      const wanted = missing.flatMap((acl) => acl.operations.map((operation) => toKafkaAcl(acl, operation)));
      if (wanted.length > 0) await admin.createAcls({ acl: wanted });
      return missing;
    });
  } catch (error) {
    throw toLogError(error, 'setting the ACLs');
  }
}

/** By keys: all that is allowed to somebody, by a rule for one topic or group. */
async function allowed(admin: Admin): Promise<ReadonlySet<string>> {
  const { resources } = await admin.describeAcls({
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ALLOW,
  });
  return new Set(resources.flatMap(({ acls, ...resource }) => acls.map((acl) => keyOf({ ...resource, ...acl }))));
}

type Rule = Pick<KafkaAcl, 'principal' | 'host' | 'operation' | 'resourceType' | 'resourceName'>;

function keyOf({ principal, host, operation, resourceType, resourceName }: Rule): string {
  return JSON.stringify([principal, host, operation, resourceType, resourceName]);
}

function toKafkaAcl({ principal, resource, name }: Acl, operation: AclOperation): KafkaAcl {
  return {
    principal,
    host: ANY_HOST,
    operation: AclOperationTypes[operation],
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
    resourceName: name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
  };
}
