/**
 * Loaded into a server before its own program (`--import`): how long its loop was held up at most, a beat every millisecond.
 * SIGUSR2 writes it to the file that the environment names, and begins anew. A busy machine makes beats late in which the
 * thread did not run; so of the time and of what it computed meanwhile the lesser counts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { beatVariable } from '../beat-variable.ts';

const tickMs = 10;
const file = process.env[beatVariable];
let last = { ms: performance.now(), cpuMs: cpuMs() };
let heldMs = 0;

/** Of the thread that the loop runs on; where the system does not tell, of all. Linux counts in hundredths of a second. */
function cpuMs(): number {
  try {
    const fields = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return tickMs * (Number(fields[11]) + Number(fields[12]));
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  }
}

function beat(): void {
  const now = { ms: performance.now(), cpuMs: cpuMs() };
  heldMs = Math.max(heldMs, Math.min(now.ms - last.ms, now.cpuMs - last.cpuMs + tickMs));
  last = now;
}

// The shell that starts the program hands the option on to whatever is Node.js.
if (file !== undefined) {
  setInterval(beat, 1).unref();
  process.on('SIGUSR2', () => {
    beat();
    writeFileSync(file, String(heldMs));
    heldMs = 0;
  });
}
