/** Variables whose values are secrets, by their names. */
const SECRET_NAME = /PASSWORD|PASSWD|SECRET|TOKEN|API_?KEY|CREDENTIAL|OTLP_(\w+_)?HEADERS/iu;
/** A shorter value would be found in words that are none. */
const SHORTEST_SECRET = 6;

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // The user and password of a URL.
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s/?#:@]*):[^\s/?#@]+@/giu, '$1:…@'],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/giu, '$1 …'],
  [/\b((?:password|passwd|secret|token|api[-_]?key)["']?\s*[=:]\s*["']?)[^\s"',;&]+/giu, '$1…'],
  [/\bsk-[\w-]{8,}/gu, 'sk-…'],
];

/** Takes out of a text what looks like a secret, and the values of the environment's secrets wherever they stand. */
export function redactor(environment: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(environment)
    .filter(([name, value]) => SECRET_NAME.test(name) && (value?.length ?? 0) >= SHORTEST_SECRET)
    .map(([, value]) => value as string)
    // One may be part of another.
    .sort((one, other) => other.length - one.length);
  return (text) => {
    let clean = text;
    for (const secret of secrets) clean = clean.replaceAll(secret, '…');
    for (const [pattern, instead] of PATTERNS) clean = clean.replace(pattern, instead);
    return clean;
  };
}
