import { isLogLevel, type LogLevel, type LogLine } from '../io/log.ts';

export interface ToldLines {
  /** The lines that a piece of the agent's log completes. */
  of(text: string): readonly LogLine[];
  /** What it said last of what keeps it from running. */
  lastError(): string | undefined;
}

/** Reads the log of a node's agent, one object a line; what is none is the words of something that broke. */
export function toldLines(): ToldLines {
  let rest = '';
  let lastError: string | undefined;
  return {
    of(text) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      const told = lines.filter((line) => line.trim() !== '').map(lineOf);
      for (const { level, message } of told) if (level === 'error') lastError = message;
      // The last words are told by who sees it end.
      return told.filter(({ level }) => level !== 'error');
    },
    lastError: () => lastError,
  };
}

function lineOf(text: string): LogLine {
  try {
    const { level, message, error, component } = JSON.parse(text) as Partial<Record<string, unknown>>;
    const said = typeof message === 'string' ? message : text;
    const where = typeof component === 'string' && component !== 'node' ? `${component}: ` : '';
    return { level: levelOf(level), message: `${where}${said}${typeof error === 'string' ? `: ${error}` : ''}` };
  } catch {
    return { level: 'error', message: text.replace(/^error: /, '') };
  }
}

function levelOf(text: unknown): LogLevel {
  return isLogLevel(text) ? text : 'info';
}
