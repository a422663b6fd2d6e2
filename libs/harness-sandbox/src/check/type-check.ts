import { dirname, join } from 'node:path';
import type * as TS from 'typescript';
import { annotate, type Annotated } from './annotate.ts';
import { forbiddenUses } from './forbidden.ts';
import { hintFor } from './hints.ts';
import type { Problem, Questions, StaticVerdict } from './protocol.ts';
import { problemAt, readStructure, type Structure } from './structure.ts';
import { ts } from './typescript.ts';

const HARNESS = '/harness.ts';
const BASE_TYPES = '/harness.d.ts';
const DOMAIN_TYPES = '/domain.d.ts';
const EXPORTS = '/exports.ts';

/** Shown at once; the rest follows from these more often than not. */
const MAX_PROBLEMS = 8;

const EXPORTS_TEXT = `import main, { PROMPTS } from './harness.ts';
export const harness: Harness = main;
export const prompts: Readonly<Record<string, string>> = PROMPTS;
`;
const MAIN_LINE = 1;

const OPTIONS: TS.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2023.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  isolatedModules: true,
  erasableSyntaxOnly: true,
  noEmit: true,
  types: [],
  // With the reports of implicit any left out below: off, it would make `const messages = []` an array of never.
  strict: true,
};

/** "implicitly has an 'any' type" and its kin: no reason to refuse a harness. */
function isImplicitAny({ code }: TS.Diagnostic): boolean {
  return code >= 7005 && code <= 7057 && code !== 7027 && code !== 7028 && code !== 7029 && code !== 7030;
}

/** A warm LanguageService: the library files are parsed once, later checks cost some tens of ms. */
export class TypeCheck {
  readonly #files = new Map<string, { text: string; version: number }>();
  readonly #service: TS.LanguageService;
  #version = 0;

  constructor() {
    this.#set(EXPORTS, EXPORTS_TEXT);
    for (const name of [HARNESS, BASE_TYPES, DOMAIN_TYPES]) this.#set(name, '');
    this.#service = ts.createLanguageService(this.#host());
  }

  check({ source, harnessTypes, domainTypes }: Questions['verdict']['asked']): StaticVerdict {
    this.#set(BASE_TYPES, harnessTypes);
    this.#set(DOMAIN_TYPES, domainTypes);
    const file = ts.createSourceFile(HARNESS, source, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
    this.#set(HARNESS, source);
    const syntax = this.#service.getSyntacticDiagnostics(HARNESS);
    if (syntax.length > 0)
      return rejected(
        'parse',
        this.#problems(file, syntax, (position) => position),
      );
    const structure = readStructure(file);
    if (Array.isArray(structure)) return rejected('structure', structure);
    return this.#types(file, structure);
  }

  #types(file: TS.SourceFile, structure: Structure): StaticVerdict {
    const domain = [
      ...this.#service.getSyntacticDiagnostics(DOMAIN_TYPES),
      ...this.#service.getSemanticDiagnostics(DOMAIN_TYPES),
    ][0];
    if (domain !== undefined) return { kind: 'domain', problem: this.#domainProblem(domain) };
    const annotated = annotate(file, structure.main);
    this.#set(HARNESS, annotated.text);
    const found = this.#service.getSemanticDiagnostics(HARNESS).filter((diagnostic) => !isImplicitAny(diagnostic));
    if (found.length > 0) return rejected('types', this.#problems(file, found, annotated.original));
    const exported = this.#exportProblem(file, structure);
    if (exported !== undefined) return rejected('types', [exported]);
    const forbidden = this.#forbidden(file, annotated);
    return forbidden.length > 0 ? rejected('structure', forbidden) : { kind: 'clean' };
  }

  #problems(
    file: TS.SourceFile,
    diagnostics: readonly TS.Diagnostic[],
    original: (position: number) => number,
  ): Problem[] {
    return diagnostics.map((diagnostic) => {
      const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
      return problemAt(file, original(diagnostic.start ?? 0), message, hintFor(message));
    });
  }

  #exportProblem(file: TS.SourceFile, { mainNode, promptsNode }: Structure): Problem | undefined {
    const diagnostic = this.#service.getSemanticDiagnostics(EXPORTS)[0];
    if (diagnostic === undefined) return undefined;
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    const line = diagnostic.file?.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line;
    return line === MAIN_LINE
      ? problemAt(file, mainNode.getStart(file), `the default export is not a Harness: ${message}`, hintFor(message))
      : problemAt(file, promptsNode.getStart(file), `PROMPTS must hold strings only: ${message}`);
  }

  #domainProblem(diagnostic: TS.Diagnostic): Problem {
    const message = ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n');
    return diagnostic.file === undefined ? { message } : problemAt(diagnostic.file, diagnostic.start ?? 0, message);
  }

  #forbidden(file: TS.SourceFile, annotated: Annotated): Problem[] {
    const program = this.#service.getProgram();
    const checked = program?.getSourceFile(HARNESS);
    if (program === undefined || checked === undefined) return [];
    return forbiddenUses(checked, program).map(({ position, message }) =>
      problemAt(file, annotated.original(position), message),
    );
  }

  #set(name: string, text: string): void {
    if (this.#files.get(name)?.text !== text) this.#files.set(name, { text, version: ++this.#version });
  }

  #host(): TS.LanguageServiceHost {
    const library = dirname(ts.getDefaultLibFilePath(OPTIONS));
    const libraryText = new Map<string, string>();
    const read = (name: string): string | undefined => {
      const own = this.#files.get(name);
      if (own !== undefined) return own.text;
      if (dirname(name) !== library) return undefined;
      const text = libraryText.get(name) ?? ts.sys.readFile(name);
      if (text !== undefined) libraryText.set(name, text);
      return text;
    };
    return {
      getCompilationSettings: () => OPTIONS,
      getScriptFileNames: () => [...this.#files.keys()],
      getScriptVersion: (name) => String(this.#files.get(name)?.version ?? 0),
      getScriptSnapshot: (name) => {
        const text = read(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => '/',
      getDefaultLibFileName: (options) => join(library, ts.getDefaultLibFileName(options)),
      fileExists: (name) => this.#files.has(name) || (dirname(name) === library && ts.sys.fileExists(name)),
      readFile: read,
    };
  }
}

function rejected(stage: 'parse' | 'structure' | 'types', problems: Problem[]): StaticVerdict {
  return { kind: 'rejected', stage, problems: problems.slice(0, MAX_PROBLEMS) };
}
