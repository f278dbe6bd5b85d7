import { quietProcess } from '@signalbox/cluster';
import type { StartInside } from '../inside/start-inside.ts';
import { programPath } from './programs.ts';

export const insideCommand: StartInside['command'] = [process.execPath, ...quietProcess, programPath('inside')];
