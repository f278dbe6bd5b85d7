/**
 * Strangers' hands: `npm run sim -- --attack [NAME]… [--long] [--seed N]`. Runs the attacks of these names, or all; prints what
 * each tried, measured and found. Exit code 1 if there is a finding.
 */
import { readArguments } from '../../tools/arguments.ts';
import bundlePrograms from '../../tools/bundle-programs.ts';
import type { Attack, AttackResult } from './attack.ts';
import { attacks } from './attacks.ts';

const usage = 'npm run sim -- --attack [NAME]… [--long] [--seed N]';

const { values, positionals } = readArguments(
  {
    options: {
      attack: { type: 'boolean', default: true },
      long: { type: 'boolean', default: false },
      seed: { type: 'string', default: '1' },
    },
    allowPositionals: true,
  },
  usage,
);

const findingsMax = 20;

const chosen = positionals.length === 0 ? attacks : attacks.filter(({ name }) => positionals.includes(name));
const unknown = positionals.filter((name) => !attacks.some((attack) => attack.name === name));
if (unknown.length > 0) {
  const known = attacks.map(({ name, summary }) => `  ${name}: ${summary}`).join('\n');
  process.stderr.write(`error: there is no attack ${unknown.join(', ')}; there are:\n${known}\n`);
  process.exit(2);
}

const ending = new AbortController();
process.once('SIGINT', () => ending.abort(new Error('interrupted')));

async function run(attack: Attack): Promise<AttackResult> {
  try {
    return await attack.run({
      seed: Number(values.seed),
      effort: values.long ? 'long' : 'short',
      signal: ending.signal,
      log: (line) => void process.stderr.write(`  ${line}\n`),
    });
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { cases: 0, findings: [`the attack broke: ${text}`], figures: {} };
  }
}

const removePrograms = await bundlePrograms();
let failed = 0;
for (const attack of chosen) {
  process.stdout.write(`${attack.name}: ${attack.summary}\n`);
  const startedMs = Date.now();
  const { cases, findings, figures } = await run(attack);
  if (findings.length > 0) failed++;
  for (const finding of findings.slice(0, findingsMax)) process.stdout.write(`  ✗ ${finding}\n`);
  if (findings.length > findingsMax) process.stdout.write(`  ✗ and ${findings.length - findingsMax} more\n`);
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`  ${name} ${value}\n`);
  const seconds = ((Date.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`  ${cases} cases, ${findings.length} findings, ${seconds} s\n`);
}
removePrograms();
process.stdout.write(`${chosen.length} attacks, ${failed} with findings\n`);
process.exitCode = failed === 0 ? 0 : 1;
