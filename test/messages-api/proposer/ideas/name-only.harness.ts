// targets: format, extraction
// mechanism: the answer is read out of the reply as its first name, whatever words stand around it
// evidence: outcomes "outcome":"incorrect".*"answer":"(?:[^"]* ){2}
// says: wrong answers are of more than two words
// because: the verifier accepts a bare name only, and the model wraps it in a sentence or adds another
// region finish: name-only
function toAnswer(said: string, steps: Step[]): string {
  const text = said.replace(/^\s*\w+:\s*/, '');
  const name = /\b(?:(?:Lord|Lady|River) )?[A-Z][a-z]+/.exec(text.replace(/^The\b/, ''));
  return name === null ? text.trim() : name[0];
}
// endregion
