import picocolors from 'picocolors';

export type Paint = ReturnType<typeof picocolors.createColors>;

/** Colours for a stream: only on a terminal, and never with NO_COLOR (no-color.org). */
export function paint(stream: { isTTY?: boolean }): Paint {
  const noColour = (process.env['NO_COLOR'] ?? '') !== '' || process.env['TERM'] === 'dumb';
  const forced = (process.env['FORCE_COLOR'] ?? '') !== '';
  return picocolors.createColors(!noColour && (stream.isTTY === true || forced));
}
