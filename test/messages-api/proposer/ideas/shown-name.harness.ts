// targets: extraction
// needs: name-only
// mechanism: of the names in the reply, the one that ends a sentence which was shown is the answer
// because: each document ends with what it states, so a name that ends none is a slip or the subject of the question
// region finish: shown-name
function toAnswer(said: string, steps: Step[]): string {
  const names: string[] = said.replace(/^\s*\w+:\s*/, '').match(/\b[A-Z][a-z]+/g) ?? [];
  const stated: string[] = steps.at(-1)?.shown.match(/\w+(?=\.$|\.\n)/g) ?? [];
  return names.find((name) => stated.includes(name)) ?? names[0] ?? said.trim();
}
// endregion
