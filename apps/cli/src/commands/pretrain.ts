import type { Command } from 'commander';
export function pretrainCommand(program: Command): void {
  program.command('pretrain').description('makes θ₀ again from scratch');
}
