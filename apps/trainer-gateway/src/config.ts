/** The embedded trainer has nothing to configure outside the spec. */
export type TrainerGatewayConfig = Record<string, never>;

export function trainerGatewayConfig(): TrainerGatewayConfig {
  return {};
}
