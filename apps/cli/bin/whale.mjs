#!/usr/bin/env node
// JavaScript, so that an old Node gets a sentence and not a syntax error. Then TypeScript, without a build.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `error: whale needs Node.js 20.19 or newer; this is ${process.versions.node}.\n` +
      'Get one from https://nodejs.org, or with a version manager: nvm install 22\n',
  );
  process.exit(3);
}

// Node 22 and newer keep compiled code between calls; Node 20 does not know how.
module.enableCompileCache?.();

// The compiler options are those of this repository, whatever folder the command is called in.
process.env.TSX_TSCONFIG_PATH ??= fileURLToPath(new URL('../../../tsconfig.base.json', import.meta.url));
const { register } = await import('tsx/esm/api');
register({ tsconfig: process.env.TSX_TSCONFIG_PATH });
const { main } = await import('../src/main.ts');
await main(process.argv.slice(2));
