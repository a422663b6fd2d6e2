/** Text that is HTML already. Everything else that enters a template is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | undefined | readonly Value[];

/**
 * A template whose values are escaped, whatever they hold: texts of tasks and models are hostile. Not called `html`,
 * since formatters lay out templates of that name and with them the space inside `pre` and `script`.
 */
export function safe(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(strings.map((part, i) => part + render(values[i])).join(''));
}

function render(value: Value): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  // Characters that turn the direction of text could hide what a line of code does.
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\u202a-\u202e\u2066-\u2069]/g, (character) => `&lt;U+${character.charCodeAt(0).toString(16)}&gt;`);
}

/** JSON that may stand in a script element: no `<` can end it. */
export function scriptJson(value: unknown): Html {
  return new Html(
    JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
