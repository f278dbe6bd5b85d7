/** The rules of `tidy.test.ts` on the files that are staged, as they are staged. Prints findings; exit code 1 if there are any. */
import { execFileSync } from 'node:child_process';
import ts from 'typescript';
import {
  ambientFindings,
  builtinNames,
  homonymFindings,
  layeringFindings,
  layersFrom,
  nameFindings,
  sizeFindings,
} from './tidy.ts';

const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
const staged = (path: string): string => git('show', `:${path}`);

const files = git('diff', '--cached', '--name-only', '--diff-filter=ACMR', '-z')
  .split('\0')
  .filter(
    (path) => /^packages\/(cluster|telemetry|node|cli)\/src\/.*\.ts$/.test(path) && !path.includes('/generated/'),
  );

if (files.length > 0) {
  const layers = layersFrom(staged('ARCHITECTURE.md'));
  const kinds = builtinNames(staged('packages/cluster/src/api/generated/kinds.ts'));
  const findings = files.flatMap((path) => {
    const source = ts.createSourceFile(path, staged(path), ts.ScriptTarget.Latest, true);
    return [
      ...layeringFindings(source, layers),
      ...ambientFindings(source),
      ...homonymFindings(source, kinds),
      ...sizeFindings(source),
      ...nameFindings(path),
    ];
  });
  for (const { file, line, message } of findings) process.stderr.write(`${file}:${line}: ${message}\n`);
  if (findings.length > 0) process.exitCode = 1;
}
