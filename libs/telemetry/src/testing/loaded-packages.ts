import { createRequire } from 'node:module';
import { startTelemetry } from '../index.ts';

/** Starts telemetry as the environment says and prints which of its packages the process has loaded. */
await startTelemetry({ services: ['verifier'], onTrouble: () => undefined });
const packages = Object.keys(createRequire(import.meta.url).cache).flatMap(
  (path) => /node_modules\/(@(?:opentelemetry|grpc)\/[^/]+|protobufjs)\//.exec(path)?.[1] ?? [],
);
process.stdout.write(JSON.stringify([...new Set(packages)].sort()));
process.exit(0);
