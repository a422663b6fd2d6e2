import { SqliteServiceStore } from '../store/sqlite-store.ts';
import { newOwner, registerOwner } from '../store/owner.ts';

/** Leases all work of a store for an hour, says so, and hangs: to be killed. `work-child.ts STORE` */
const store = new SqliteServiceStore(process.argv[2] as string);
const owner = newOwner();
registerOwner(owner);
const now = Date.now();
const items = await store.claimWork({ owner, kinds: ['echo'], limit: 10, now, leaseUntil: now + 3_600_000 });
process.stdout.write(`${items.length}\n`);
setInterval(() => undefined, 1_000);
