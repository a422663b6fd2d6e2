import { readFileSync, statSync } from 'node:fs';
import { parseSpec, type Spec } from '@whale/contracts';
import { InputError } from '@whale/kernel';
import { oneLine } from './print/text.ts';
import { parseYaml, YamlProblem } from './yaml.ts';

/**
 * Reads a spec from a YAML or JSON file, with `path=value` changes made before it is checked. Throws InputError that
 * names the file, and the path, its value and what was expected where the content is at fault.
 */
export function loadSpec(file: string, changes: readonly string[] = []): Spec {
  let raw = parseText(file, readText(file));
  for (const change of changes) raw = withChange(raw, change);
  return parseSpec(raw, file);
}

function readText(file: string): string {
  try {
    if (statSync(file).isDirectory()) throw new InputError(`${file} is a folder; expected a spec file (YAML or JSON)`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof InputError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new InputError(`there is no spec file ${file}`, { cause: error });
    throw new InputError(`the spec file ${file} cannot be read: ${message}`, { cause: error });
  }
}

function parseText(file: string, text: string): unknown {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const where = error.line === undefined ? '' : `:${error.line}`;
    throw new InputError(`${file}${where} is not YAML: ${error.message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const found = value === null ? 'nothing' : Array.isArray(value) ? 'a list' : JSON.stringify(value).slice(0, 40);
    throw new InputError(`${file} is not an experiment spec: expected a mapping of keys, found ${found}`);
  }
  return value;
}

/** `--set strategy.cycles=3`: the value is YAML. A path that the spec does not know is the spec's own error. */
function withChange(raw: unknown, change: string): unknown {
  const shown = oneLine(`--set ${change}`, 100);
  const at = change.indexOf('=');
  const path = change.slice(0, Math.max(0, at)).split('.');
  if (at <= 0 || path.some((key) => key === '' || key === '__proto__')) {
    throw new InputError(`${shown}: expected path=value, e.g. --set strategy.cycles=3`);
  }
  let value: unknown;
  try {
    value = parseYaml(change.slice(at + 1));
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw new InputError(`${shown}: the value is not YAML: ${error.message}`, { cause: error });
  }
  return setIn(raw, path, value);
}

function setIn(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const mapping = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  return { ...mapping, [key]: setIn((mapping as Record<string, unknown>)[key], rest, value) };
}
