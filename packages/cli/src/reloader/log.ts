/** From the least important up; `all` and `none` are the ends of what may be asked for. */
export const logLevels = ['all', 'debug', 'info', 'warn', 'error', 'none'] as const;
export type LogLevel = (typeof logLevels)[number];
export const logForms = ['logfmt', 'json'] as const;
export type LogForm = (typeof logForms)[number];

/** What a line says besides its message. A value of the environment or of a file is never among it. */
export type Fields = Readonly<Record<string, string | number>>;

/** The keys and messages of a line are those of prometheus-config-reloader: people have filters that look for them. */
export type Log = (level: Exclude<LogLevel, 'all' | 'none'>, message: string, fields?: Fields) => void;

export interface LogOptions {
  readonly level: LogLevel;
  readonly form: LogForm;
  nowMs(): number;
  print(line: string): void;
}

export function createLog({ level: least, form, nowMs, print }: LogOptions): Log {
  return (level, message, fields = {}) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const line = { ts: new Date(nowMs()).toISOString(), level, msg: message, ...fields };
    print(form === 'json' ? JSON.stringify(line) : formatLogfmt(line));
  };
}

function formatLogfmt(line: Fields): string {
  return Object.entries(line)
    .map(([key, value]) => `${key}=${typeof value === 'number' ? value : quoted(value)}`)
    .join(' ');
}

function quoted(text: string): string {
  return text === '' || /[\s"=\\\p{C}]/u.test(text) ? JSON.stringify(text) : text;
}

/** An error on one line, with what caused it. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim().replace(/\s*\n\s*/g, ' ');
}
