// variant after-prefix
// targets: retrieval
// hypothesis: The literal index matches the protocol's own word "search" in talk; cutting the prefix raises retrieval.
function toQuery(said: string, question: string): string {
  return said.replace(/^\w+:/, '').trim();
}

// variant terse
// targets: retrieval, hops
// hypothesis: Without prefix, punctuation, question words and fillers, wordy queries find the page instead of talk about it.
function toQuery(said: string, question: string): string {
  const fillers = ['who', 'what', 'where', 'is', 'was', 'does', 'the', 'of', 'in', 'town'];
  const words = said.replace(/^\w+:/, '').match(/[A-Za-z]+/g) ?? [];
  const kept = words.filter((word) => !fillers.includes(word.toLowerCase()));
  return kept.map((word) => (word === 'live' ? 'lives' : word)).join(' ');
}

// variant question
// targets: retrieval
// hypothesis: The question itself is a better query than what the model makes of it.
function toQuery(said: string, question: string): string {
  return question;
}

// variant names
// targets: retrieval
// hypothesis: Names alone find every page of an entity, so the right one is among them.
function toQuery(said: string, question: string): string {
  const words = said.replace(/^\w+:/, '').match(/[A-Z][a-z]+/g) ?? [];
  return words.filter((word) => !['Who', 'What', 'Where'].includes(word)).join(' ');
}
