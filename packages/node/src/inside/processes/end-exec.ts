/**
 * Ends what a command has started in a container. It sits below helpers of ours that joined the container's namespaces. Were these
 * ended first, nobody would collect what they leave, and a container with such a process in it never ends.
 */
import { readFileSync } from 'node:fs';

/** `pid` is the first of the helpers. */
export function endExec(pid: number): void {
  let helper = pid;
  for (;;) {
    // Who is stopped begins no process any more: what is seen below it is all there will be.
    send(helper, 'SIGSTOP');
    const below = childOf(helper);
    if (below === undefined || isInContainer(below)) {
      send(below ?? helper, 'SIGKILL');
      break;
    }
    helper = below;
  }
  // From now on they see its end, and end by themselves.
  for (let each: number | undefined = pid; each !== undefined && !isInContainer(each); each = childOf(each))
    send(each, 'SIGCONT');
}

function childOf(pid: number): number | undefined {
  const [first = ''] = read(`/proc/${pid}/task/${pid}/children`).trim().split(' ');
  return first === '' ? undefined : Number(first);
}

/** There it has a number of its own. */
function isInContainer(pid: number): boolean {
  return (/^NSpid:(.*)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? '').trim().split(/\s+/).length > 1;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile.
  }
}
