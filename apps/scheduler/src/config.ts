/** The scheduler has nothing to configure outside the spec. */
export type SchedulerConfig = Record<string, never>;

export function schedulerConfig(): SchedulerConfig {
  return {};
}
