/**
 * What a real node costs: pods one after the other, a hundred at once, then nothing, as root or as an ordinary user (the argument). Its
 * processes and their network are in namespaces of their own. Prints one line of JSON.
 */
import { measurePace } from '../../packages/node/src/testing/pace.ts';
import { everybody, type Who } from '../../packages/node/src/testing/real-inside.ts';

const who: Who = process.argv[2] === 'rootless' ? 'an ordinary user' : (everybody[0] ?? 'an ordinary user');
// Together they are as many as a node takes.
const { said, ...pace } = await measurePace(who, { alone: 10, many: 100, idleSeconds: 10 });
if (said.length > 0) throw new Error(said.join(''));
const figures = {
  'create to running ms': pace.startMsP50,
  'CPU per start ms': pace.cpuMsPerStart,
  '100 pods ms': pace.manyMs,
  'idle CPU %': pace.idlePercent,
  'MB per pod': pace.mbPerPod,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
process.exit(0);
