import { formatIssues } from '@whale/contracts';
import { refused, type ToolContext, type ToolResult, type WorkspaceTool } from './tool.ts';

/** Parses what a model wrote and runs the tool on it. An input that does not fit is refused with what was expected. */
export async function callTool(tool: WorkspaceTool, input: unknown, context: ToolContext): Promise<ToolResult> {
  const parsed = tool.input.safeParse(input);
  if (parsed.success) return tool.run(parsed.data, context);
  return refused(`The input of ${tool.name} is not valid:\n${formatIssues(parsed.error, input)}`);
}
