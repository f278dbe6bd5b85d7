import { Command } from 'commander';

await new Command('signalbox').parseAsync();
