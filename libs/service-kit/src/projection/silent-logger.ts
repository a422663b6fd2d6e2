import type { Logger } from 'typeorm';

const say = (): undefined => undefined;

/** TypeORM tells of migrations on stdout, which belongs to the command's own output. Errors are thrown anyway. */
export const silentLogger: Logger = {
  logQuery: say,
  logQueryError: say,
  logQuerySlow: say,
  logSchemaBuild: say,
  logMigration: say,
  log: say,
};
