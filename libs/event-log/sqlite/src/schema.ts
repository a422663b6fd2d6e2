/** "WHAL" as the application id of the file, so that a foreign database is refused instead of being written into. */
export const APPLICATION_ID = 0x5748414c;
export const SCHEMA_VERSION = 1;

/**
 * `records.position` is the order of arrival over all partitions (AUTOINCREMENT: never used twice); the offset of a
 * record counts within its partition, as on Kafka, and is handed out by `partitions.next_offset`. `key` and `value`
 * are ANY because the library cuts a text at a NUL: a text with a NUL in it is stored as a blob.
 * `members` and `leases` hold the consumer groups and may be deleted whenever no process has the file open.
 */
export const SCHEMA = `
CREATE TABLE partitions (
  id INTEGER PRIMARY KEY,
  topic TEXT NOT NULL,
  "partition" INTEGER NOT NULL,
  next_offset INTEGER NOT NULL DEFAULT 0,
  UNIQUE (topic, "partition")
) STRICT;
CREATE TABLE records (
  position INTEGER PRIMARY KEY AUTOINCREMENT,
  partition_id INTEGER NOT NULL REFERENCES partitions (id),
  "offset" INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  key ANY NOT NULL,
  headers TEXT NOT NULL,
  value ANY NOT NULL,
  UNIQUE (partition_id, "offset")
) STRICT;
CREATE TABLE groups (
  name TEXT PRIMARY KEY,
  generation INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE members (
  id TEXT PRIMARY KEY,
  group_name TEXT NOT NULL,
  topics TEXT NOT NULL,
  host TEXT NOT NULL,
  boot TEXT NOT NULL,
  pid INTEGER NOT NULL,
  process_start TEXT NOT NULL,
  beat INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE leases (
  group_name TEXT NOT NULL,
  partition_id INTEGER NOT NULL REFERENCES partitions (id),
  owner TEXT,
  token INTEGER NOT NULL,
  PRIMARY KEY (group_name, partition_id)
) STRICT;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${SCHEMA_VERSION};
`;
