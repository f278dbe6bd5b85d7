import { durationMs as goDurationMs } from '../../base/duration.ts';

/** A scenario is a text: blocks of commands, each followed by what happened. `#` begins a comment. */
export interface Scenario {
  readonly blocks: readonly Block[];
}

export interface Block {
  /** Everything up to the line of dashes, as it was written. */
  readonly head: string;
  readonly commands: readonly Command[];
  readonly expected: readonly string[];
}

export interface Command {
  readonly line: number;
  readonly name: string;
  readonly args: readonly string[];
  /** The words after the name, unsplit. */
  readonly rest: string;
  /** Indented lines below the command. */
  readonly body: string;
}

export class ScenarioError extends Error {
  constructor(line: number, message: string, options?: ErrorOptions) {
    super(`line ${line}: ${message}`, options);
    this.name = 'ScenarioError';
  }
}

const divider = '----';

/** Blocks end their commands with `----` and their outcome with an empty line. */
export function parseScenario(text: string): Scenario {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let index = 0; index < lines.length; ) {
    const start = index;
    while (index < lines.length && lines[index] !== divider) index++;
    const head = lines.slice(start, index);
    if (index >= lines.length) {
      if (head.some((line) => line.trim() !== '' && !line.startsWith('#')))
        throw new ScenarioError(start + 1, `the last commands have no ${divider} below them`);
      break;
    }
    index++;
    const outcome = index;
    while (index < lines.length && lines[index]?.trim() !== '') index++;
    blocks.push({
      head: head.join('\n'),
      commands: parseCommands(head, start + 1),
      expected: lines.slice(outcome, index),
    });
    while (index < lines.length && lines[index]?.trim() === '') index++;
  }
  return { blocks };
}

/** The text again, with what really happened. */
export function formatScenario(
  blocks: readonly (Pick<Block, 'head'> & { readonly happened: readonly string[] })[],
): string {
  return `${blocks.map(({ head, happened }) => [head, divider, ...happened].join('\n')).join('\n\n')}\n`;
}

function parseCommands(head: readonly string[], firstLine: number): readonly Command[] {
  const commands: (Command & { readonly bodyLines: string[] })[] = [];
  head.forEach((text, offset) => {
    const line = firstLine + offset;
    if (text.trim() === '' || text.startsWith('#')) return;
    if (text.startsWith('  ')) {
      const last = commands.at(-1);
      if (last === undefined)
        throw new ScenarioError(line, 'an indented line belongs to a command above it; there is none');
      last.bodyLines.push(text.slice(2));
      return;
    }
    const [name = '', ...args] = text.trim().split(/\s+/);
    commands.push({ line, name, args, rest: text.trim().slice(name.length).trim(), body: '', bodyLines: [] });
  });
  return commands.map(({ bodyLines, ...command }) => ({ ...command, body: bodyLines.join('\n') }));
}

/** `90s`, `5m`, `3d` in milliseconds. */
export function durationMs(text: string, line: number): number {
  const days = /^(\d+)d$/.exec(text)?.[1];
  const ms = days === undefined ? goDurationMs(text) : Number(days) * 86_400_000;
  if (ms === undefined) throw new ScenarioError(line, `"${text}" is no duration; write 500ms, 10s, 5m, 2h or 3d`);
  return ms;
}
