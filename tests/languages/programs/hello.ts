import * as fs from 'fs';

interface Word { text: string }
enum Place { First, Second }

const words: Word[] = [{ text: process.argv[2] ?? '-' }];
console.log('hello', words[Place.First].text, fs.readFileSync(0, 'utf8').trim());
process.exit(3);
