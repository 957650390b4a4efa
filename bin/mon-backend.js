#!/usr/bin/env -S node --enable-source-maps --max-semi-space-size=64
import { main } from '../dist/src/main/backend.js';

await main(process.argv);
