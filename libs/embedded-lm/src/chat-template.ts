import type { Message } from '@whale/contracts';
import type { ControlToken, Tokenizer } from './tokenizer/tokenizer.ts';

/** Role token, text, `<end>`: `<user>Where is Tarvel?<end>`. */
export function encodeMessage(tokenizer: Tokenizer, message: Message): number[] {
  const role: ControlToken = `<${message.role}>`;
  return [tokenizer.control(role), ...tokenizer.encode(message.content), tokenizer.control('<end>')];
}

/** The messages and the `<assistant>` token that opens the model's turn. */
export function encodePrompt(tokenizer: Tokenizer, messages: readonly Message[]): number[] {
  return [...messages.flatMap((message) => encodeMessage(tokenizer, message)), tokenizer.control('<assistant>')];
}
