import { pathToFileURL } from 'node:url';

/**
 * The default export of a user's module at an absolute path; undefined where it has none. The module may be TypeScript
 * and lie anywhere, whatever its package says of module types. Each call loads it anew. Rejects with what the module
 * throws, or with the loader's own error.
 */
export async function importDefault(path: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api');
  const module = (await tsImport(pathToFileURL(path).href, import.meta.url)) as { default?: unknown };
  const exported = module.default;
  // A module that was taken for CommonJS: all that it exports stands in place of its default.
  return isObject(exported) && ('__esModule' in exported || 'default' in exported) ? exported['default'] : exported;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
