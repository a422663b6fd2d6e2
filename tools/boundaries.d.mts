export const boundaries: readonly [string, object];
export const testBoundaries: readonly [string, object];
