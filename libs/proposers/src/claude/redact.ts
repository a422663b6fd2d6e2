/** Shorter values are no keys of the API but stand-ins for servers that need none, and may occur in any text. */
const SHORTEST_KEY = 16;

/** Takes a key out of what a server has said, whatever it repeats of a request. */
export function redact(text: string, key: string): string {
  return key.length < SHORTEST_KEY ? text : text.replaceAll(key, '[key]');
}
