/** The archive has nothing to configure. */
export type ArchiveConfig = Record<string, never>;

export function archiveConfig(): ArchiveConfig {
  return {};
}
