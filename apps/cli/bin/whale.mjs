#!/usr/bin/env node
// JavaScript, so that an old Node gets a sentence and not a syntax error.
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

// The compiler options are those of this repository, whatever folder the command is called in; for users' modules too.
process.env.TSX_TSCONFIG_PATH ??= fileURLToPath(new URL('../../../tsconfig.base.json', import.meta.url));

const { compiledSources } = await import('./compiled.mjs');
const compiled = await compiledSources();
const { main } = await import(compiled?.main ?? (await uncompiledMain()));
await main(process.argv.slice(2));

/** Where nothing can be written: the sources themselves, by a loader. */
async function uncompiledMain() {
  const { register } = await import('tsx/esm/api');
  register({ tsconfig: process.env.TSX_TSCONFIG_PATH });
  return new URL('../src/main.ts', import.meta.url).href;
}
