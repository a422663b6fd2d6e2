// The TypeScript of this repository as JavaScript files, made when it is first run and again when it has changed. Why: a
// loader that looks at each import costs half of the start of a process; nobody should have to build for that.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setEnvironmentData } from 'node:worker_threads';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const cache = join(root, 'node_modules/.cache/whale');

/** Made for other states of the sources, which processes may still load parts of. */
const KEPT = 4;
const SOURCES = ['apps', 'libs'];
const ENTRY = 'apps/cli/src/main.ts';
/** How a module says that another is the beginning of a thread. */
const THREAD = /spawnTypeScriptWorker\(new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g;

/**
 * URL of the compiled `main.ts`; undefined where it cannot be made, for then the sources can still run as they are.
 * Threads that this process starts find their compiled modules too (libs/kernel, typescript-worker.ts).
 */
export async function compiledSources() {
  try {
    const sources = sourcesUnder(SOURCES);
    const folder = join(cache, keyOf(sources));
    if (!existsSync(folder)) await compile(sources, folder);
    setEnvironmentData('whale.compiled', {
      sources: pathToFileURL(root).href,
      folder: pathToFileURL(`${folder}/`).href,
    });
    return { main: pathToFileURL(join(folder, ENTRY.replace(/\.ts$/, '.js'))).href };
  } catch {
    return undefined;
  }
}

/** By path, with size and time of change: what is not a source of the program is left out. */
function sourcesUnder(folders) {
  const found = [];
  const visit = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules' && entry.name !== 'assets') visit(path);
      } else if (entry.name === 'package.json' || (/\.m?ts$/.test(entry.name) && !entry.name.endsWith('.test.ts'))) {
        const { size, mtimeMs } = statSync(join(root, path));
        found.push({ path, size, mtimeMs });
      }
    }
  };
  for (const folder of folders) visit(folder);
  return found;
}

function keyOf(sources) {
  const hash = createHash('sha256').update(`${process.versions.node}\n`);
  for (const file of ['apps/cli/bin/compiled.mjs', 'tsconfig.base.json', 'package-lock.json'])
    hash.update(`${statSync(join(root, file)).mtimeMs}\n`);
  for (const { path, size, mtimeMs } of sources) hash.update(`${path} ${size} ${mtimeMs}\n`);
  return hash.digest('hex').slice(0, 16);
}

/** Written beside its place and moved there whole: processes that start together do not see halves. */
async function compile(sources, folder) {
  const { build } = await import('esbuild');
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(cache, { recursive: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: [ENTRY, ...sources.flatMap(({ path }) => threadsOf(path))],
      outdir: unfinished,
      outbase: root,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: `node${process.versions.node}`,
      tsconfig: join(root, 'tsconfig.base.json'),
      sourcemap: 'linked',
      sourcesContent: false,
      plugins: [packagesStayOutside, modulesKnowTheirPlace],
      logLevel: 'silent',
    });
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  forgetOldest();
}

function threadsOf(path) {
  const text = path.endsWith('.ts') ? readFileSync(join(root, path), 'utf8') : '';
  return [...text.matchAll(THREAD)].map(([, module]) => posix.join(posix.dirname(path), module));
}

/** Our own packages are bundled, those of others are loaded from where they are installed. */
const packagesStayOutside = {
  name: 'packages-stay-outside',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || path.startsWith('@whale/') ? undefined : { path, external: true },
    );
  },
};

/** Files beside a module are found from where its source is. */
const modulesKnowTheirPlace = {
  name: 'modules-know-their-place',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.')) return undefined;
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

function forgetOldest() {
  const folders = readdirSync(cache).map((name) => ({
    path: join(cache, name),
    at: statSync(join(cache, name)).mtimeMs,
  }));
  for (const { path } of folders.sort((a, b) => b.at - a.at).slice(KEPT))
    rmSync(path, { recursive: true, force: true });
}
