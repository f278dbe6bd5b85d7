/** What both programs do as processes. */

/** As kube-apiserver says why it does not start. */
export function refuse(message: string): never {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(1);
}

export function tell(program: string, message: string): void {
  process.stderr.write(`${program}: ${message}\n`);
}

const lookEveryMs = 1_000;

/** A test that is killed cannot end what it started; upstream's programs are left behind then. */
export function endWithStarter(): void {
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => process.exit(0));
  const starter = process.ppid;
  setInterval(() => {
    if (process.ppid !== starter) process.exit(0);
  }, lookEveryMs).unref();
}
