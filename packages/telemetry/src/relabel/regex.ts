import { compileGoRegex } from './go-regex.ts';

/**
 * Why Prometheus, the agent or Promtail would refuse the regular expression; undefined when they take it. All of them use
 * RE2, which knows neither look-around nor back-references.
 */
export function regexProblem(text: string): string | undefined {
  if (harmless.test(text)) return undefined;
  const known = problems.get(text);
  if (known !== undefined || problems.has(text)) return known;
  if (problems.size >= rememberedMax) problems.clear();
  const problem = compile(text);
  problems.set(text, problem);
  return problem;
}

/** Words, dots and groups of them: each monitor has some of its own, and nothing can be wrong with them. */
const harmless = /^(?:[\w;:/ |-]|\.[*+]?|\((?:[\w;:/ |-]|\.[*+]?)*\))*$/;

// Monitors repeat a handful of expressions ten thousand times, and compiling one is not cheap.
const problems = new Map<string, string | undefined>();
const rememberedMax = 4_096;

function compile(text: string): string | undefined {
  try {
    compileGoRegex(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
