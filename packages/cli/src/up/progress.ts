import { colorsFor, type Io, writeLine } from '../io/io.ts';
import { isReady, type Step } from './readiness.ts';

/** Tells on standard error how far things have come. */
export interface Progress {
  /** A line that stays. */
  log(line: string): void;
  show(steps: readonly Step[]): void;
  /** Takes what moves off the screen; what stays, stays. */
  end(): void;
}

/** Redraws in place on a terminal; elsewhere one line for each object that becomes ready. */
export function createProgress(io: Io): Progress {
  if (io.stderr.isTerminal && io.env['TERM'] !== 'dumb') return createLive(io);
  return createLines((line) => writeLine(io.stderr, line));
}

/** How many of those that wait are drawn. */
const waitingShownMax = 8;
const columnsDefault = 80;

/** One line for each object that becomes ready. */
export function createLines(tell: (line: string) => void): Progress {
  const told = new Set<string>();
  return {
    log: tell,
    show(steps) {
      for (const step of steps) {
        const place = placeOf(step);
        if (!isReady(step)) told.delete(place);
        else if (!told.has(place)) {
          told.add(place);
          tell(readyLine(step));
        }
      }
    },
    end: () => undefined,
  };
}

function createLive(io: Io): Progress {
  const { stderr } = io;
  const colors = colorsFor(stderr, io);
  let drawn: readonly string[] = [];
  const erase = (): string => (drawn.length === 0 ? '' : `\u001B[${drawn.length}A\u001B[0J`);
  const draw = (before: string, lines: readonly string[]): void => {
    const text = `${erase()}${before}${lines.map((line) => `${line}\n`).join('')}`;
    drawn = lines;
    if (text !== '') stderr.write(text);
  };
  return {
    log: (line) => draw(`${line}\n`, drawn),
    show(steps) {
      // A line that wraps would be two, and moving up would miss one.
      const lines = liveLines(steps, stderr.columns ?? columnsDefault);
      const [head = '', ...rest] = lines;
      const next = [colors.bold(head), ...rest.map((line) => colors.dim(line))];
      if (next.join('\n') !== drawn.join('\n')) draw('', next);
    },
    end: () => draw('', []),
  };
}

/** A count, then those that wait, each on one line of at most `columns` characters. Pure. */
export function liveLines(steps: readonly Step[], columns: number): readonly string[] {
  const waiting = steps.filter((step) => !isReady(step));
  const more = waiting.length - waitingShownMax;
  const lines = [
    `${steps.length - waiting.length} of ${steps.length} ready`,
    ...waiting.slice(0, waitingShownMax).map((step) => `  … ${placeOf(step)}: ${step.why[0] ?? ''}`),
    ...(more > 0 ? [`  … and ${more} more`] : []),
  ];
  return lines.map((line) => (line.length < columns ? line : `${line.slice(0, Math.max(1, columns - 2))}…`));
}

/** Why things are not ready, for the end: `StatefulSet shop/db: 0 of 1 pods ready; pod db-0: 0/3 nodes are available: …` */
export function reasonLines(steps: readonly Step[]): readonly string[] {
  return steps.filter((step) => !isReady(step)).map((step) => `${placeOf(step)}: ${step.why.join('; ')}`);
}

function readyLine(step: Step): string {
  return `✓ ${placeOf(step)}${step.how === '' ? '' : ` (${step.how})`}`;
}

function placeOf({ kind, namespace, name }: Step): string {
  return `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
