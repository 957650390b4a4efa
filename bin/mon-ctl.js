#!/usr/bin/env node
import { main } from '../dist/src/main/ctl.js';

await main(process.argv);
