import nx from '@nx/eslint-plugin';
import prettier from 'eslint-config-prettier';
import { createNodeResolver, flatConfigs } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { boundaries, testBoundaries } from './tools/boundaries.mjs';

export default tseslint.config(
  { ignores: ['**/node_modules/**', '.nx/**', 'dist/**', '**/*.harness.ts', '**/*.d.ts'] },
  ...tseslint.configs.recommended,
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { '@nx': nx, 'import-x': flatConfigs.recommended.plugins['import-x'] },
    settings: { 'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js', '.mjs'] })] },
    rules: {
      '@nx/enforce-module-boundaries': boundaries,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'import-x/no-cycle': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'No barrels: name what is exported.' },
      ],
    },
  },
  {
    files: ['**/*.test.ts', '**/fixtures/**/*.ts', '**/support/**/*.ts', 'test/**/*.ts'],
    rules: { '@nx/enforce-module-boundaries': testBoundaries },
  },
  {
    // Pure cores know neither Node nor Nest.
    files: [
      'apps/*/src/{state,decide,evolve,facts,absorb,groups,rollouts}.ts',
      'apps/*/src/decide/**/*.ts',
      'libs/schedules/src/**/*.ts',
      'libs/event-sourcing/src/**/*.ts',
    ],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': ['error', { patterns: ['node:*', '@nestjs/*', 'typeorm', 'libsql'] }],
    },
  },
  prettier,
);
