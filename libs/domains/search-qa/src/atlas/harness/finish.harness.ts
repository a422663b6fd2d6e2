// variant strict
// targets: format
// hypothesis: Refusing every reply that does not begin with "answer: " keeps malformed turns from counting.
function toAnswer(said: string, steps: Step[]): string {
  return said.startsWith('answer: ') ? said.slice('answer: '.length) : '';
}

// variant first-line
// targets: extraction
// hypothesis: The first line without prefix and full stop drops what the model adds after its answer.
function toAnswer(said: string, steps: Step[]): string {
  const line = said.trim().split('\n')[0] ?? '';
  return line.replace(/^answer:\s*/i, '').replace(/\.$/, '');
}

// variant first-name
// targets: extraction, format
// hypothesis: The first name in the reply is the answer, whatever stands around it.
function toAnswer(said: string, steps: Step[]): string {
  const names = said.match(/(?:(?:Lord|Lady|River) )?[A-Z][a-z]+/g) ?? [];
  return names[0] ?? said;
}

// variant last-line
// targets: extraction
// hypothesis: A model that explains first commits at the end, so the last line is the answer.
function toAnswer(said: string, steps: Step[]): string {
  const line = said.trim().split('\n').at(-1) ?? '';
  return line.replace(/^answer:\s*/i, '');
}
